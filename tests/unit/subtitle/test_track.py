"""Tracks to files and playlist entries."""

from pathlib import Path

import pytest

from media_common.webvtt import Cue
from subtitle.track import Track, media_playlist, named, write_track

CUES = (Cue(0.5, 2.0, "Hello"),)


def embedded(**values: object) -> Track:
    return Track("embedded", CUES, **values)  # type: ignore[arg-type]


def test_each_track_has_a_folder_and_a_name_of_its_own() -> None:
    tracks = [
        embedded(language="en"),
        embedded(language="en", title="SDH"),
        embedded(language="en", forced=True),
        embedded(language="en"),
        embedded(),
        embedded(title="Commentary"),
        embedded(language="pt-BR", title="portuguese (br)"),
        embedded(language="de", title="German for children"),
    ]
    assert [(each.folder, each.name) for each in named(tracks)] == [
        ("en", "English"),
        ("en-2", "English (SDH)"),
        ("en-forced", "English (forced)"),
        ("en-3", "English (2)"),
        ("und", "Subtitles"),
        ("und-2", "Commentary"),
        ("pt-BR", "Portuguese (BR)"),
        ("de", "German for children"),
    ]


@pytest.mark.parametrize(
    ("tracks", "default"),
    [
        ([embedded(), embedded(default=True)], [False, True]),
        ([embedded(default=True), embedded(default=True)], [True, False]),
        ([embedded(), embedded()], [True, False]),
        ([embedded(forced=True, default=True), embedded()], [False, True]),
        ([embedded(forced=True)], [False]),
    ],
)
def test_one_full_track_is_the_default(tracks: list[Track], default: list[bool]) -> None:
    assert [each.default for each in named(tracks)] == default


def test_a_track_with_cues_has_a_file_a_segment_and_a_playlist(tmp_path: Path) -> None:
    (track,) = named([embedded(language="en")])
    write_track(tmp_path, track, 6.0)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")) == [
        "en/index.m3u8",
        "en/segment.vtt",
        "en/subtitles.vtt",
    ]
    assert (tmp_path / "en/subtitles.vtt").read_text() == "WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nHello\n"
    head, cue = (tmp_path / "en/segment.vtt").read_text().split("\n\n")
    assert head == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000"
    assert cue == "00:00:00.500 --> 00:00:02.000\nHello\n"


def test_a_track_without_a_cue_is_an_empty_valid_file_and_nothing_for_players(tmp_path: Path) -> None:
    (track,) = named([Track("speech", ())])
    write_track(tmp_path, track, 6.0)
    assert [path.name for path in (tmp_path / "und").iterdir()] == ["subtitles.vtt"]
    assert (tmp_path / "und/subtitles.vtt").read_text() == "WEBVTT\n"


@pytest.mark.parametrize(("duration", "target"), [(6.0, 6), (6.001, 7), (0.04, 1), (7213.9, 7214)])
def test_the_target_duration_covers_the_segment(duration: float, target: int) -> None:
    lines = media_playlist(duration).splitlines()
    assert lines[0] == "#EXTM3U"
    assert f"#EXT-X-TARGETDURATION:{target}" in lines
    assert f"#EXTINF:{duration:.3f}," in lines
    assert lines[-1] == "#EXT-X-ENDLIST"


def test_a_cue_beyond_the_end_lengthens_the_playlist(tmp_path: Path) -> None:
    (track,) = named([Track("embedded", (Cue(8.0, 9.5, "late"),), "en")])
    write_track(tmp_path, track, 6.0)
    assert "#EXTINF:9.500," in (tmp_path / "en/index.m3u8").read_text()
