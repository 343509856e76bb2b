"""ffmpeg: arguments from pure functions, runs within bounds."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from media_common.child import RunReport, run_child

__all__ = [
    "FORMAT_WHITELIST",
    "PROTOCOL_WHITELIST",
    "RunReport",
    "input_arguments",
    "run_child",
    "run_ffmpeg",
]

#: Containers that hold their media themselves. Nothing that names other files or addresses.
FORMAT_WHITELIST = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mpeg,avi,flv,ogg,asf,wav,mp3,flac,aac,aiff,caf,amr"
#: What an input may be opened with.
PROTOCOL_WHITELIST = "file"


def input_arguments(
    path: Path, *, seek_s: float | None = None, threads: int | None = None, extra: Sequence[str] = ()
) -> list[str]:
    """Give the arguments that open one input, whitelists before ``-i``. Raises ValueError on a relative path."""
    if not path.is_absolute():
        raise ValueError(f"an input is named by its absolute path, not {str(path)!r}")
    arguments = ["-protocol_whitelist", PROTOCOL_WHITELIST, "-format_whitelist", FORMAT_WHITELIST]
    if threads is not None:
        arguments += ["-threads", str(threads)]
    if seek_s is not None:
        arguments += ["-ss", f"{max(0.0, seek_s):.6f}"]
    return [*arguments, *extra, "-i", str(path)]


def run_ffmpeg(
    arguments: Sequence[str],
    *,
    cwd: Path,
    time_limit_s: float,
    memory_limit_mb: int | None,
    cancelled: threading.Event | None = None,
    duration_s: float | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> RunReport:
    """Run ffmpeg with `arguments` (everything after the program's name).

    on_progress gets per cent of `duration_s`, 0 to 100. Raises BadMedia, LimitExceeded, ToolFailed, JobCancelled.
    """
    raise NotImplementedError
