"""Real ffprobe, on every kind of file that people send."""

import hashlib
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from media_common.errors import BadMedia, JobCancelled, LimitExceeded
from media_common.probe import MediaInfo, probe
from media_common.settings import MediaSettings
from media_fixtures.cache import FixtureCache


@pytest.fixture
def probed(media_fixtures: FixtureCache, settings: MediaSettings, tmp_path: Path) -> "Probed":
    return Probed(media_fixtures, settings, tmp_path)


class Probed:
    """Probes an input as it lies in the store: under a name without a suffix."""

    def __init__(self, inputs: FixtureCache, settings: MediaSettings, folder: Path) -> None:
        self._inputs, self._settings, self._folder = inputs, settings, folder

    def __call__(self, name: str, **limits: float) -> MediaInfo:
        source = self._folder / "source"
        shutil.copyfile(self._inputs[name], source)
        return probe(source, self._settings.model_copy(update=limits))


@pytest.mark.parametrize(
    ("name", "format_name", "duration", "size", "audio"),
    [
        ("plain", "mov,mp4,m4a,3gp,3g2,mj2", 6.0, (1280, 720), 1),
        ("fragmented", "mov,mp4,m4a,3gp,3g2,mj2", 6.0, (1280, 720), 1),
        ("webm", "matroska,webm", None, None, 1),
        ("several_audio", "mov,mp4,m4a,3gp,3g2,mj2", 4.0, (640, 360), 3),
        ("no_audio", "mov,mp4,m4a,3gp,3g2,mj2", 3.0, (640, 360), 0),
        ("transport_stream", "mpegts", None, None, 1),
    ],
)
def test_a_video_is_described(
    probed: Probed, name: str, format_name: str, duration: float | None, size: tuple[int, int] | None, audio: int
) -> None:
    info = probed(name)

    assert info.format_name == format_name
    assert info.duration_s > 0
    if duration is not None:
        assert info.duration_s == pytest.approx(duration, abs=0.1)
    assert info.video is not None
    if size is not None:
        assert (info.video.width, info.video.height) == size
    assert len(info.audio) == audio
    assert info.size > 0


@pytest.mark.parametrize("name", ["audio_only", "audio_mp3", "cover_art"])
def test_sound_alone_is_fine_and_its_cover_is_no_video(probed: Probed, name: str) -> None:
    info = probed(name)

    assert info.video is None
    assert len(info.audio) == 1
    assert (info.cover is not None) == (name == "cover_art")


def test_the_first_moment_is_on_the_files_own_clock(probed: Probed) -> None:
    late, plain = probed("late_start"), probed("plain")

    assert late.video is not None
    assert late.start_s == pytest.approx(10, abs=0.1)
    assert late.video.start_s == pytest.approx(late.start_s, abs=0.1)
    assert plain.start_s == 0


def test_languages_and_channels_of_sound_tracks_are_known(probed: Probed) -> None:
    audio = probed("several_audio").audio

    assert [(track.language, track.channels) for track in audio][:2] == [("en", 2), ("de", 6)]


def test_a_sound_track_that_is_announced_and_never_sent_is_none(probed: Probed) -> None:
    assert probed("announced_audio").audio == ()


def test_a_sound_track_that_starts_late_is_one(probed: Probed) -> None:
    assert [(track.codec, track.sample_rate) for track in probed("late_audio").audio] == [("aac", 0)]


def test_odd_shapes_and_rates_are_seen(probed: Probed) -> None:
    wide, varying, interlaced, hdr, one = (
        probed(name).video for name in ("wide_pixels", "variable_rate", "interlaced", "hdr10", "one_frame")
    )
    assert wide is not None
    assert (wide.width, wide.height, wide.coded_width) == (1047, 576, 720)
    assert varying is not None
    assert varying.is_vfr
    assert interlaced is not None
    assert (interlaced.interlaced, interlaced.is_vfr) == (True, False)
    assert hdr is not None
    assert (hdr.is_hdr, hdr.bit_depth, hdr.pixel_format) == (True, 10, "yuv420p10le")
    assert one is not None
    assert one.frames == 1
    assert probed("one_frame").duration_s == pytest.approx(0.04)


def test_the_rotation_is_the_one_that_ffmpeg_itself_would_make(probed: Probed, media_fixtures: FixtureCache) -> None:
    video = probed("rotated").video
    assert video is not None
    assert (video.width, video.height) == (video.coded_height, video.coded_width)
    turn = {90: "transpose=clock", 180: "hflip,vflip", 270: "transpose=cclock"}[video.rotation]

    def picture(*options: str) -> str:
        command = ["ffmpeg", "-v", "error", *options, "-frames:v", "1", "-f", "rawvideo", "pipe:1"]
        made = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        return hashlib.sha256(made.stdout).hexdigest()

    source = str(media_fixtures["rotated"])
    assert picture("-noautorotate", "-i", source, "-vf", turn) == picture("-i", source)
    assert picture("-noautorotate", "-i", source) != picture("-i", source)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("subtitles_mov_text", [True, True]),
        ("subtitles_srt", [True, True]),
        ("subtitles_ass", [True, True]),
        ("subtitles_webvtt", [True, True]),
        ("subtitles_bitmap", [False]),
    ],
)
def test_subtitle_tracks_are_listed(probed: Probed, name: str, text: list[bool]) -> None:
    subtitles = probed(name).subtitles

    assert [track.is_text for track in subtitles] == text
    if all(text):
        assert [track.language for track in subtitles] == ["en", "de"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("zero_bytes", "the file is empty"),
        ("text", "the file is text, and not a video"),
        ("random_bytes", "the file is of no media format that is known here"),
        ("no_moov", "the file is an MP4 without its index"),
        ("image", "the file is a PNG picture, and not a video"),
        ("jpeg", "the file is a JPEG picture, and not a video"),
    ],
)
def test_what_is_no_media_is_refused_with_what_was_found(probed: Probed, name: str, reason: str) -> None:
    with pytest.raises(BadMedia) as caught:
        probed(name)

    assert type(caught.value) is BadMedia
    assert str(caught.value).startswith(reason)
    assert "/" not in str(caught.value)


def test_subtitles_alone_are_no_media(tmp_path: Path, settings: MediaSettings) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:00,500 --> 00:00:02,000\nHello\n")
    subprocess.run(
        ["ffmpeg", "-v", "error", "-i", tmp_path / "a.srt", "-c:s", "srt", tmp_path / "a.mkv"],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    with pytest.raises(BadMedia, match="neither picture nor sound"):
        probe(tmp_path / "a.mkv", settings)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_pixels": 1280 * 720 - 1}, "a picture of 1280x720 is over the limit"),
        ({"max_duration_s": 5.0}, "6 s long; the limit is 5 s"),
        ({"probe_time_limit_s": 0.001}, "time limit"),
    ],
)
def test_a_video_over_a_limit_is_refused(probed: Probed, limits: dict[str, float], reason: str) -> None:
    with pytest.raises(LimitExceeded, match=reason):
        probed("plain", **limits)


def test_a_cancelled_job_does_not_probe(media_fixtures: FixtureCache, settings: MediaSettings) -> None:
    cancelled = threading.Event()
    cancelled.set()

    with pytest.raises(JobCancelled):
        probe(media_fixtures["plain"], settings, cancelled=cancelled)
