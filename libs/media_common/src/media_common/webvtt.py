"""WebVTT text (W3C WebVTT, section 4). Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@dataclass(frozen=True, slots=True)
class Cue:
    """One cue: shown from start_s to end_s (seconds). The text may hold WebVTT tags; see `escape`."""

    start_s: float
    end_s: float
    text: str
    settings: str = ""


def escape(text: str) -> str:
    """Make plain text safe inside a cue: ``&``, ``<`` and ``>`` become entities."""
    return text.translate(_ESCAPES)


def timestamp(seconds: float) -> str:
    """Write a time as ``HH:MM:SS.mmm``, rounded to the millisecond; below zero is zero."""
    return _written(_milliseconds(seconds))


def render(cues: Iterable[Cue], header: str = "") -> str:
    """Write a whole WebVTT file.

    header: metadata lines for the top block, e.g. ``X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0``.
    A cue's text cannot break the file: blank lines are dropped and ``-->`` is escaped. A cue without
    text is left out; one that would end before it starts lasts a millisecond.
    """
    top = "\n".join(["WEBVTT", *_lines(header)])
    blocks = [top, *filter(None, map(_block, cues))]
    return "\n\n".join(blocks) + "\n"


def _block(cue: Cue) -> str:
    lines = _lines(cue.text)
    if not lines:
        return ""
    start = _milliseconds(cue.start_s)
    end = max(_milliseconds(cue.end_s), start + 1)
    timing = f"{_written(start)} --> {_written(end)} {' '.join(_lines(cue.settings))}".rstrip()
    return "\n".join([timing, *lines])


def _lines(text: str) -> list[str]:
    # NUL is the one character the format forbids; the three line ends are \r\n, \n and \r.
    plain = text.replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n").replace("-->", "--&gt;")
    return [line for line in plain.split("\n") if line.strip()]


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _written(milliseconds: int) -> str:
    seconds, thousandths = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{thousandths:03d}"
