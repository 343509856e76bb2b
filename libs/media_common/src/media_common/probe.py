"""Reads what a file holds, by ffprobe, and refuses what is not media or over a limit."""

import threading
from pathlib import Path

from media_common.media_info import (
    HDR_TRANSFERS,
    AudioStream,
    MediaInfo,
    SubtitleStream,
    VideoStream,
)
from media_common.settings import MediaSettings

__all__ = ["HDR_TRANSFERS", "AudioStream", "MediaInfo", "SubtitleStream", "VideoStream", "probe"]


def probe(path: Path, settings: MediaSettings, *, cancelled: threading.Event | None = None) -> MediaInfo:
    """Say what the file holds.

    Raises BadMedia with a reason that says what was found instead, LimitExceeded over the limits of
    `settings`, ToolFailed when ffprobe itself fails, JobCancelled when `cancelled` is set.
    """
    raise NotImplementedError
