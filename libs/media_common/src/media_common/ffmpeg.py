"""ffmpeg: argument lists from pure functions, runs within bounds."""

import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from media_common.child import RunReport, run_child
from media_common.errors import ToolMissing

__all__ = [
    "FORMAT_WHITELIST",
    "PROTOCOL_WHITELIST",
    "RunReport",
    "check_installed",
    "filter_threads",
    "input_arguments",
    "measured_duration",
    "out_time_s",
    "percent_of",
    "run_child",
    "run_ffmpeg",
]

#: Containers that hold their media themselves: nothing that names other files or addresses
#: (hls, dash, concat, sdp, image2 …), and no pictures.
FORMAT_WHITELIST = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mpeg,avi,flv,ogg,asf,mxf,wav,w64,mp3,flac,aac,aiff,caf,amr"
)
#: What an input may be opened with: a file, and no address.
PROTOCOL_WHITELIST = "file"

_COMMAND = ("ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-v", "error", "-y")
_PROGRESS = ("-progress", "pipe:1")


def check_installed() -> None:
    """Raise ToolMissing when ffmpeg or ffprobe is not on the PATH; to be asked before work is taken."""
    for program in ("ffmpeg", "ffprobe"):
        if shutil.which(program) is None:
            raise ToolMissing(f"{program} is not installed here (Debian, Ubuntu: apt-get install ffmpeg)")


def input_arguments(
    path: Path, *, seek_s: float | None = None, threads: int | None = None, extra: Sequence[str] = ()
) -> list[str]:
    """Give the arguments that open one input: whitelists, decoder threads, seek, ``-i``.

    seek_s: seconds to skip, by key frame and then exactly. extra: further options of this input.
    Raises ValueError for a relative path: a name such as ``-dash.mp4`` or ``a:b.mp4`` would be read as
    an option or as an address.
    """
    if not path.is_absolute():
        raise ValueError(f"an input is named by its absolute path, not by {str(path)!r}")
    arguments = ["-protocol_whitelist", PROTOCOL_WHITELIST, "-format_whitelist", FORMAT_WHITELIST]
    if threads is not None:
        arguments += ["-threads", str(threads)]
    if seek_s is not None:
        arguments += ["-ss", f"{max(0.0, seek_s):.6f}"]
    return [*arguments, *extra, "-i", str(path)]


def filter_threads(threads: int) -> list[str]:
    """Give the arguments that bound every filter's pool of threads; ffmpeg would size it by the machine."""
    return ["-filter_threads", str(threads), "-filter_complex_threads", str(threads)]


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
    """Run ffmpeg with `arguments`, everything after the program's name.

    on_progress: gets per cent (0-100) of `duration_s`, twice a second. It takes ffmpeg's standard output;
    without it, what the command writes to ``pipe:1`` is in the report's `stdout`.
    An exit without error does not mean that an output is there or whole: see `media_common.verify`.
    Raises BadMedia, LimitExceeded, ToolFailed, ToolMissing, JobCancelled.
    """
    command = list(_COMMAND)
    on_line: Callable[[str], None] | None = None
    if on_progress is not None:
        command += _PROGRESS
        on_line = _reporting(on_progress, duration_s or 0.0)
    return run_child(
        [*command, *arguments],
        cwd=cwd,
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        cancelled=cancelled,
        on_line=on_line,
        judges_input=True,
    )


def out_time_s(line: str) -> float | None:
    """Read one line of ffmpeg's ``-progress``: seconds of output so far, None on other lines. Pure."""
    name, _, value = line.partition("=")
    if name != "out_time_us":  # out_time_ms counts microseconds too, whatever its name says
        return None
    try:
        return max(0.0, int(value) / 1_000_000)
    except ValueError:  # "N/A" until the first frame is out
        return None


def percent_of(done_s: float, duration_s: float) -> float:
    """Give how much of `duration_s` is done, 0-100. Pure."""
    return min(100.0, max(0.0, 100 * done_s / duration_s)) if duration_s > 0 else 0.0


def measured_duration(
    path: Path,
    *,
    time_limit_s: float,
    memory_limit_mb: int | None,
    cancelled: threading.Event | None = None,
) -> float:
    """Read a file from end to end without decoding and give its length in seconds.

    For files that do not say how long they are (browsers record such), and for outputs that may claim more
    than they hold. Raises as `run_ffmpeg`.
    """
    reached = 0.0

    def on_line(line: str) -> None:
        nonlocal reached
        reached = max(reached, out_time_s(line) or 0.0)

    streams = ["-map", "0:V:0?", "-map", "0:a:0?", "-c", "copy", "-f", "null", "-"]
    run_child(
        [*_COMMAND, *_PROGRESS, *input_arguments(path), *streams],
        cwd=path.parent,
        time_limit_s=time_limit_s,
        memory_limit_mb=memory_limit_mb,
        cancelled=cancelled,
        on_line=on_line,
        judges_input=True,
    )
    return reached


def _reporting(on_progress: Callable[[float], None], duration_s: float) -> Callable[[str], None]:
    def on_line(line: str) -> None:
        done_s = out_time_s(line)
        if done_s is not None:
            on_progress(percent_of(done_s, duration_s))

    return on_line
