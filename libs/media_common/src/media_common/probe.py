"""Reads what a file holds, by ffprobe, and refuses what is not media or is over a limit."""

import json
import threading
from dataclasses import replace
from pathlib import Path

from media_common.child import RunReport, run_child
from media_common.errors import BadMedia, LimitExceeded
from media_common.ffmpeg import input_arguments, measured_duration
from media_common.found import HEAD_BYTES, what_was_found
from media_common.media_info import AudioStream, MediaInfo, SubtitleStream, VideoStream
from media_common.probe_report import media_info
from media_common.settings import MediaSettings

__all__ = ["AudioStream", "MediaInfo", "SubtitleStream", "VideoStream", "probe"]


def probe(path: Path, settings: MediaSettings, *, cancelled: threading.Event | None = None) -> MediaInfo:
    """Say what the file holds. `path` is absolute.

    Raises BadMedia with a reason that says what was found instead, LimitExceeded over the limits of
    `settings`, ToolFailed when ffprobe itself fails, JobCancelled when `cancelled` is set.
    """
    size = path.stat().st_size
    if size == 0:
        raise BadMedia("the file is empty")
    info = media_info(_report(path, settings, cancelled), size)
    audio = tuple(sound for sound in info.audio if _is_sent(sound, path, settings, cancelled))
    info = replace(info, audio=audio)
    if info.video is None and not info.audio:
        raise BadMedia(f"the file holds neither picture nor sound that can be read ({info.format_name})")
    _check_pixels(info.video, settings.max_pixels)
    if info.duration_s <= 0:
        info = replace(info, duration_s=_measured(path, settings, cancelled))
    if info.duration_s > settings.max_duration_s:
        raise LimitExceeded(f"{info.duration_s:.0f} s long; the limit is {settings.max_duration_s:.0f} s")
    return info


def _report(path: Path, settings: MediaSettings, cancelled: threading.Event | None) -> dict[str, object]:
    try:
        run = _ffprobe(["-show_format", "-show_streams", "-of", "json"], path, settings, cancelled)
    except LimitExceeded:
        raise
    except BadMedia as error:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        raise BadMedia(f"the file is {what_was_found(head, error.details)}", details=error.details) from None
    report = json.loads(run.stdout.decode("utf-8", "replace"))
    return report if isinstance(report, dict) else {}


def _is_sent(sound: AudioStream, path: Path, settings: MediaSettings, cancelled: threading.Event | None) -> bool:
    """Say whether a sound track comes at all: recordings of broadcasts announce some that never do."""
    if sound.sample_rate > 0:
        return True
    first_packet = ["-select_streams", str(sound.index), "-show_entries", "packet=pos", "-read_intervals", "%+#1"]
    return bool(_ffprobe([*first_packet, "-of", "csv=p=0"], path, settings, cancelled).stdout.strip())


def _ffprobe(options: list[str], path: Path, settings: MediaSettings, cancelled: threading.Event | None) -> RunReport:
    return run_child(
        ["ffprobe", "-hide_banner", "-v", "error", *options, *input_arguments(path)],
        cwd=path.parent,
        time_limit_s=settings.probe_time_limit_s,
        memory_limit_mb=settings.memory_limit_mb,
        cancelled=cancelled,
        judges_input=True,
    )


def _check_pixels(video: VideoStream | None, max_pixels: int) -> None:
    if video is None:
        return
    # Odd pixel shapes make the shown picture larger than the coded one.
    pixels = max(video.coded_width * video.coded_height, video.width * video.height)
    if pixels > max_pixels:
        raise LimitExceeded(
            f"a picture of {video.coded_width}x{video.coded_height} is over the limit of {max_pixels} pixels"
        )


def _measured(path: Path, settings: MediaSettings, cancelled: threading.Event | None) -> float:
    measured = measured_duration(
        path,
        time_limit_s=settings.probe_time_limit_s,
        memory_limit_mb=settings.memory_limit_mb,
        cancelled=cancelled,
    )
    if measured <= 0:
        raise BadMedia("the file holds no moment of picture or sound")
    return measured
