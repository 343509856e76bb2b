"""Command lines, and what the result says: pure functions."""

from pathlib import Path

import pytest

from media_common.media_info import AudioStream, MediaInfo, SubtitleStream
from media_common.webvtt import Cue
from media_fixtures.infos import a_file, a_picture
from subtitle.embedded import MAX_TRACKS, Skipped, extract_arguments, sorted_out
from subtitle.job import details
from subtitle.recognise.engines import Engine
from subtitle.speech import Transcript, chosen_track, decode_arguments
from subtitle.timeline import beginning
from subtitle.track import Track, named

SOURCE = Path("/store/source")


def sound(index: int, *, default: bool = False, language: str | None = None) -> AudioStream:
    return AudioStream(index, "aac", 2, 48000, language, default, None)


def subtitles(index: int, codec: str, *, is_text: bool = True) -> SubtitleStream:
    return SubtitleStream(index, codec, "en", default=False, forced=False, title=None, is_text=is_text)


def options(arguments: list[str], name: str) -> list[str]:
    return [arguments[at + 1] for at, argument in enumerate(arguments) if argument == name]


@pytest.mark.parametrize(
    ("tracks", "index"),
    [
        ([], None),
        ([sound(1), sound(2)], 1),
        ([sound(1), sound(2, default=True), sound(3, default=True)], 2),
    ],
)
def test_the_track_a_player_would_start_with_is_chosen(tracks: list[AudioStream], index: int | None) -> None:
    chosen = chosen_track(MediaInfo("mp4", 10, 1000, None, tuple(tracks)))
    assert (chosen.index if chosen else None) == index


def test_sound_is_decoded_from_the_given_moment_and_without_gaps() -> None:
    arguments = decode_arguments(SOURCE, sound(1), Path("/scratch/speech.s16"), start_s=10.5, duration_s=60.0)
    assert options(arguments, "-af") == ["asetpts=PTS-(10.500000)/TB,aresample=16000:async=1:first_pts=0"]
    assert options(arguments, "-map") == ["0:1"]
    assert arguments.index("-format_whitelist") < arguments.index("-i")


def test_a_broken_clock_cannot_fill_the_disk_with_silence() -> None:
    arguments = decode_arguments(SOURCE, sound(1), Path("/scratch/speech.s16"), start_s=0.0, duration_s=60.0)
    assert options(arguments, "-t") == ["70.000"]


@pytest.mark.parametrize(
    ("file_start_s", "picture_start_s", "zero"),
    [
        (10.0, 10.0, 10.0),
        (10.0, 10.021, 10.021),  # the sound's encoder delay
        (0.0, 2.0, 0.0),  # two seconds of sound before the picture
        (-0.021, 0.0, 0.0),
        (3.0, None, 3.0),
    ],
)
def test_time_begins_with_the_picture_unless_there_is_sound_before_it(
    file_start_s: float, picture_start_s: float | None, zero: float
) -> None:
    video = None if picture_start_s is None else a_picture(start_s=picture_start_s)
    assert beginning(a_file(video=video, start_s=file_start_s)) == zero


def test_text_tracks_are_told_from_pictures_and_from_what_nobody_can_read() -> None:
    pgs, srt, odd = subtitles(2, "hdmv_pgs_subtitle", is_text=False), subtitles(3, "subrip"), subtitles(4, "eia_608")
    text, skipped = sorted_out([pgs, srt, odd])
    assert text == [srt]
    assert skipped == [
        Skipped(2, "hdmv_pgs_subtitle", "en", "it is pictures, not text"),
        Skipped(4, "eia_608", "en", "its format is not supported"),
    ]


def test_more_tracks_than_any_film_has_are_not_read() -> None:
    text, skipped = sorted_out([subtitles(index, "subrip") for index in range(MAX_TRACKS + 3)])
    assert len(text) == MAX_TRACKS
    assert len(skipped) == 3


def test_all_text_tracks_are_read_by_one_run_within_bounds() -> None:
    scripts = {subtitles(2, "mov_text"): Path("/s/a"), subtitles(5, "ass"): Path("/s/b")}
    arguments = extract_arguments(SOURCE, scripts)
    assert options(arguments, "-map") == ["0:2", "0:5"]
    assert options(arguments, "-c:s") == ["subrip", "copy"]
    assert options(arguments, "-f") == ["srt", "ass"]
    assert len(options(arguments, "-fs")) == 2
    assert arguments.count("-i") == 1


def test_the_result_speaks_of_the_track_that_is_shown_by_default() -> None:
    cues = (Cue(0, 1, "Hello there"), Cue(1, 2, "you"))
    tracks = [Track("embedded", (), "fr", forced=True), Track("speech", cues, "en")]
    engine = Engine("pocketsphinx", "en-us", draft=True)
    told = details(named(tracks), [], Transcript((), "en", engine, assumed=True))
    assert {
        name: told[name] for name in ("source", "language", "languageAssumed", "engine", "draft", "cues", "words")
    } == {
        "source": "speech",
        "language": "en",
        "languageAssumed": True,
        "engine": "pocketsphinx",
        "draft": True,
        "cues": 2,
        "words": 3,
    }


def test_the_result_names_no_engine_when_nothing_was_listened_to() -> None:
    told = details(named([Track("speech", ())]), [], Transcript(reason="no sound track"))
    assert (told["engine"], told["model"], told["reason"]) == (None, None, "no sound track")
    assert told["hls"] == {"subtitles": []}
