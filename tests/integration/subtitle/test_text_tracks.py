"""Text tracks that a file brings along."""

from collections.abc import Callable
from pathlib import Path

import pytest
from subtitle_runs import Runner, shown

from media_fixtures.cache import FixtureCache

Make = Callable[..., Path]

PICTURE = ("-f", "lavfi", "-i", "testsrc2=size=160x90:rate=10:duration=6")
H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")

ENGLISH = """WEBVTT

00:00:00.500 --> 00:00:02.000
Good <i>morning</i>

00:00:02.500 --> 00:00:04.000
Salt &amp; pepper,
on two lines
"""

NASTY = """1
00:00:00,501 --> 00:00:01,503
5 < 6 & 7 > 3

2
00:00:01,504 --> 00:00:02,000
<font color="red">red <b>bold</font></b> {\\an8}top

3
00:00:02,500 --> 00:00:03,000
<script>alert(1)</script> --> x

4
00:00:04,000 --> 00:00:05,000


5
00:00:05,100 --> 00:00:05,900
Çok güzel! 日本語 🎬
"""

ASS = r"""[Script Info]
ScriptType: v4.00+
[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Alignment
Style: Default,Arial,20,&H00FFFFFF,0,0,2
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:02.00,Default,,0,0,0,,{\pos(10,10)}One\Ntwo, {\i1}three{\i0}
Dialogue: 1,0:00:00.50,0:00:02.00,Default,,0,0,0,,{\bord3}One\Ntwo, {\i1}three{\i0}
Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\p1}m 0 0 l 100 0 100 100 0 100{\p0}
Comment: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,not shown
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,a < b & c {note}
"""


@pytest.mark.parametrize("kind", ["subtitles_mov_text", "subtitles_srt", "subtitles_ass", "subtitles_webvtt"])
def test_each_kind_of_text_track_becomes_webvtt_with_its_language(
    media_fixtures: FixtureCache, run: Runner, kind: str
) -> None:
    result = run(media_fixtures[kind])
    text = result.text("en/subtitles.vtt")
    if kind == "subtitles_ass":  # ASS counts in hundredths, and this file's picture starts at 1 ms
        assert [cue[2] for cue in shown(text)] == [cue[2] for cue in shown(ENGLISH)]
        assert [cue[:2] for cue in shown(text)] == [pytest.approx(cue[:2], abs=0.002) for cue in shown(ENGLISH)]
    else:
        assert text == ENGLISH
    assert "Schöne Grüße" in result.text("de/subtitles.vtt")
    assert result.names == [
        f"{language}/{name}" for language in ("de", "en") for name in ("index.m3u8", "segment.vtt", "subtitles.vtt")
    ]
    assert result.details["hls"] == {
        "subtitles": [
            {"uri": "en/index.m3u8", "name": "English", "language": "en", "default": True, "forced": False},
            {"uri": "de/index.m3u8", "name": "German", "language": "de", "default": False, "forced": False},
        ]
    }
    assert (result.details["source"], result.details["engine"], result.details["cues"]) == ("embedded", None, 2)


def test_plain_text_in_matroska_is_a_text_track(make: Make, run: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text(NASTY)
    result = run(make("a.mkv", *PICTURE, "-i", str(tmp_path / "a.srt"), *H264, "-c:s", "text"))
    assert "Çok güzel!" in result.text("und/subtitles.vtt")


@pytest.mark.parametrize(("container", "codec"), [("mkv", "subrip"), ("mp4", "mov_text")])
def test_markup_that_means_nothing_here_is_gone_and_text_is_escaped(
    make: Make, run: Runner, tmp_path: Path, container: str, codec: str
) -> None:
    (tmp_path / "a.srt").write_text(NASTY)
    source = make(f"a.{container}", *PICTURE, "-i", str(tmp_path / "a.srt"), *H264, "-c:s", codec)
    text = run(source).text("und/subtitles.vtt")
    assert "00:00:00.501 --> 00:00:01.503\n5 &lt; 6 &amp; 7 &gt; 3\n" in text
    assert "red <b>bold</b> top\n" in text
    assert "<script" not in text
    assert "\n--> x" not in text
    assert "alert(1)" in text
    assert "00:00:04.000" not in text
    assert "00:00:05.100 --> 00:00:05.900\nÇok güzel! 日本語 🎬\n" in text


def test_drawings_layers_and_comments_of_ass_are_left_out(make: Make, run: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.ass").write_text(ASS)
    result = run(make("a.mkv", *PICTURE, "-i", str(tmp_path / "a.ass"), *H264, "-c:s", "copy"))
    assert result.text("und/subtitles.vtt") == (
        "WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nOne\ntwo, <i>three</i>\n\n"
        "00:00:03.000 --> 00:00:04.000\na &lt; b &amp; c\n"
    )


@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_times_are_the_same_where_the_file_does_not_start_at_0(
    make: Make, run: Runner, tmp_path: Path, container: str
) -> None:
    (tmp_path / "a.srt").write_text(NASTY)
    codec = "mov_text" if container == "mp4" else "subrip"
    whole = make(f"a.{container}", *PICTURE, "-i", str(tmp_path / "a.srt"), *H264, "-c:s", codec)
    late = make(f"b.{container}", "-i", str(whole), "-map", "0", "-c", "copy", "-output_ts_offset", "10")
    assert run(late).text("und/subtitles.vtt") == run(whole).text("und/subtitles.vtt")


def test_forced_and_default_flags_and_titles_are_kept(make: Make, run: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text(NASTY)
    inputs = ("-i", str(tmp_path / "a.srt")) * 3
    source = make(
        "a.mkv",
        *(*PICTURE, *inputs, "-map", "0", "-map", "1", "-map", "2", "-map", "3", *H264, "-c:s", "srt"),
        *("-metadata:s:s:0", "language=fre", "-disposition:s:0", "forced"),
        *("-metadata:s:s:1", "language=tur", "-metadata:s:s:1", 'title=işitme "engelli"', "-disposition:s:1", "0"),
        *("-metadata:s:s:2", "language=tur", "-disposition:s:2", "default"),
    )
    assert run(source).details["hls"] == {
        "subtitles": [
            {
                "uri": "fr-forced/index.m3u8",
                "name": "French (forced)",
                "language": "fr",
                "default": False,
                "forced": True,
            },
            {
                "uri": "tr/index.m3u8",
                "name": "Turkish (işitme engelli)",
                "language": "tr",
                "default": False,
                "forced": False,
            },
            {"uri": "tr-2/index.m3u8", "name": "Turkish", "language": "tr", "default": True, "forced": False},
        ]
    }


def test_pictures_cannot_become_text_so_the_sound_is_listened_to(media_fixtures: FixtureCache, run: Runner) -> None:
    result = run(media_fixtures["subtitles_bitmap"])
    assert result.details["skipped"] == [
        {"index": 2, "codec": "hdmv_pgs_subtitle", "language": "en", "reason": "it is pictures, not text"}
    ]
    assert (result.details["source"], result.details["reason"]) == ("speech", "no speech was found")


def test_a_text_track_without_text_is_no_track(make: Make, run: Runner, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\n<i></i>\n")
    result = run(make("a.mkv", *PICTURE, "-i", str(tmp_path / "a.srt"), *H264, "-c:s", "srt"))
    assert [skipped["reason"] for skipped in result.details["skipped"]] == ["the track holds no text"]  # type: ignore[attr-defined]
    assert result.details["reason"] == "no sound track"


def test_a_file_that_breaks_off_gives_the_cues_up_to_there(media_fixtures: FixtureCache, run: Runner) -> None:
    assert "Good <i>morning</i>" in run(media_fixtures["truncated_mkv"]).text("en/subtitles.vtt")


def test_ffmpeg_reads_back_what_players_are_given(media_fixtures: FixtureCache, run: Runner, make: Make) -> None:
    result = run(media_fixtures["subtitles_srt"])
    read = make("back.srt", "-i", str(result.outputs / "en/index.m3u8")).read_text()
    assert "00:00:00,500 --> 00:00:02,000\nGood <i>morning</i>" in read
    assert "00:00:02,500 --> 00:00:04,000\nSalt & pepper,\non two lines" in read
