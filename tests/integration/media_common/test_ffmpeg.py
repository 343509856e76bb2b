"""Real ffmpeg, on inputs as people and attackers send them."""

import subprocess
import threading
import time
from pathlib import Path

import pytest

from media_common.errors import BadMedia, JobCancelled, LimitExceeded, MediaError, ToolFailed, ToolMissing
from media_common.ffmpeg import check_installed, input_arguments, measured_duration, run_ffmpeg
from media_common.probe import probe
from media_common.settings import MediaSettings
from media_fixtures.cache import FixtureCache
from media_fixtures.dressed import DRESSED, write_dressed
from media_fixtures.plugin import SilentListener

_LIMITS = {"time_limit_s": 60.0, "memory_limit_mb": 1024}
_ENDLESS = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25", "-f", "null", "-"]


def test_progress_rises_to_the_end(media_fixtures: FixtureCache, tmp_path: Path) -> None:
    seen: list[float] = []
    source = media_fixtures["long_gop"]
    report = run_ffmpeg(
        [*input_arguments(source, threads=1), "-c:v", "libx264", "-preset", "ultrafast", "out.mp4"],
        cwd=tmp_path,
        duration_s=measured_duration(source, **_LIMITS),
        on_progress=seen.append,
        **_LIMITS,
    )

    assert seen == sorted(seen)
    assert len(seen) >= 2
    assert seen[0] < 60
    assert seen[-1] > 95
    assert (tmp_path / "out.mp4").stat().st_size > 0
    assert report.user_s > 0


def test_what_ffmpeg_writes_to_its_standard_output_is_given(media_fixtures: FixtureCache, tmp_path: Path) -> None:
    arguments = ["-vn", "-t", "1", "-f", "s16le", "-ac", "1", "-ar", "8000", "pipe:1"]
    report = run_ffmpeg([*input_arguments(media_fixtures["plain"]), *arguments], cwd=tmp_path, **_LIMITS)

    assert len(report.stdout) == pytest.approx(16_000, abs=600)


def test_an_output_that_is_there_is_replaced(media_fixtures: FixtureCache, tmp_path: Path) -> None:
    for seconds in ("1", "2"):
        run_ffmpeg(
            [*input_arguments(media_fixtures["small"]), "-t", seconds, "-c", "copy", "out.mp4"], cwd=tmp_path, **_LIMITS
        )

    assert measured_duration(tmp_path / "out.mp4", **_LIMITS) == pytest.approx(2, abs=0.3)


def test_a_machine_without_ffmpeg_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_installed()
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ToolMissing, match="apt-get install ffmpeg"):
        check_installed()
    with pytest.raises(ToolMissing, match="ffmpeg is not installed"):
        run_ffmpeg(_ENDLESS, cwd=tmp_path, **_LIMITS)


@pytest.mark.parametrize("name", ["zero_bytes", "text", "random_bytes", "no_moov", "image"])
def test_an_input_that_is_no_media_is_the_inputs_fault(media_fixtures: FixtureCache, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadMedia) as caught:
        run_ffmpeg([*input_arguments(media_fixtures[name]), "-f", "null", "-"], cwd=tmp_path, **_LIMITS)

    assert caught.value.details
    assert str(media_fixtures[name].parent) not in str(caught.value)


@pytest.mark.parametrize("arguments", [["-c:v", "no_such_codec"], ["-no_such_option", "1"], ["-vf", "no_such_filter"]])
def test_a_wrong_command_line_is_not_the_inputs_fault(
    media_fixtures: FixtureCache, tmp_path: Path, arguments: list[str]
) -> None:
    with pytest.raises(ToolFailed):
        run_ffmpeg([*input_arguments(media_fixtures["small"]), *arguments, "-f", "null", "-"], cwd=tmp_path, **_LIMITS)


def test_ffmpeg_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(LimitExceeded, match="time limit"):
        run_ffmpeg(_ENDLESS, cwd=tmp_path, time_limit_s=1, memory_limit_mb=1024)

    assert time.monotonic() - started < 10


def test_ffmpeg_is_ended_when_the_job_is_cancelled(tmp_path: Path) -> None:
    cancelled = threading.Event()

    def on_progress(_percent: float) -> None:
        cancelled.set()

    with pytest.raises(JobCancelled):
        run_ffmpeg(_ENDLESS, cwd=tmp_path, cancelled=cancelled, duration_s=1e9, on_progress=on_progress, **_LIMITS)


def test_a_picture_that_needs_more_memory_than_allowed_ends_the_job(tmp_path: Path) -> None:
    large = ["-f", "lavfi", "-i", "color=size=7680x4320:rate=25", "-vf", "reverse", "-f", "null", "-"]
    with pytest.raises(LimitExceeded, match="memory limit of 700 MiB"):
        run_ffmpeg(large, cwd=tmp_path, time_limit_s=60, memory_limit_mb=700)


@pytest.mark.parametrize("kind", sorted(DRESSED))
@pytest.mark.parametrize("target", ["address", "file"])
def test_a_playlist_dressed_as_a_video_reads_nothing_and_calls_nobody(
    media_fixtures: FixtureCache, silent_listener: SilentListener, tmp_path: Path, kind: str, target: str
) -> None:
    named = silent_listener.url if target == "address" else str(media_fixtures["small"])
    dressed = write_dressed(tmp_path, kind, named)

    with pytest.raises(MediaError):
        run_ffmpeg([*input_arguments(dressed), "-c", "copy", "out.mkv"], cwd=tmp_path, **_LIMITS)
    with pytest.raises(BadMedia, match="the file is"):
        probe(dressed, MediaSettings())

    assert not (tmp_path / "out.mkv").exists()
    assert silent_listener.connections == 0


def test_the_dressed_playlists_would_do_harm_without_the_whitelists(
    media_fixtures: FixtureCache, silent_listener: SilentListener, tmp_path: Path
) -> None:
    """So that the test above can fail: the same files, opened as ffmpeg would by itself."""
    concat = write_dressed(tmp_path, "concat", str(media_fixtures["small"]))
    subprocess.run(
        ["ffmpeg", "-v", "error", "-safe", "0", "-i", concat, "-c", "copy", tmp_path / "out.mkv"],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    hls = write_dressed(tmp_path, "hls", silent_listener.url)
    subprocess.run(
        ["ffmpeg", "-v", "quiet", "-protocol_whitelist", "file,http,tcp", "-i", hls, "-f", "null", "-"],
        check=False,
        stdin=subprocess.DEVNULL,
    )

    assert (tmp_path / "out.mkv").exists()
    assert silent_listener.connections > 0


def test_the_length_of_a_file_that_does_not_say_it_is_measured(media_fixtures: FixtureCache, tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.webm"
    with recorded.open("wb") as file:  # a pipe can't be sought, so the length stays out of the header
        subprocess.run(
            ["ffmpeg", "-v", "error", "-i", media_fixtures["webm"], "-c", "copy", "-f", "webm", "pipe:1"],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=file,
        )
    expected = probe(media_fixtures["webm"], MediaSettings()).duration_s

    assert measured_duration(recorded, **_LIMITS) == pytest.approx(expected, abs=0.1)
    assert probe(recorded, MediaSettings()).duration_s == pytest.approx(expected, abs=0.1)


def test_a_file_that_ends_early_measures_short_though_its_header_says_otherwise(media_fixtures: FixtureCache) -> None:
    claimed = probe(media_fixtures["truncated"], MediaSettings()).duration_s

    assert claimed == pytest.approx(6, abs=0.1)
    assert measured_duration(media_fixtures["truncated"], **_LIMITS) < claimed - 1
