"""Long sound in windows of about two minutes, so that memory stays flat and progress is seen.

Each sample is listened to exactly once: a window ends in the middle of the quietest stretch of its
last part and the next one starts there, so no word is cut, lost or heard twice at a seam.
"""

from array import array
from collections.abc import Iterator
from operator import mul
from pathlib import Path
from sys import byteorder
from typing import BinaryIO

from subtitle.recognise import BYTES_PER_SECOND, SAMPLE_RATE, Recogniser, Segment, Word

WINDOW_S = 120.0
#: The last part of a window in which the seam is looked for; people breathe more often than that.
SEAM_S = 30.0
#: A remainder shorter than this is listened to with the window before it.
REMAINDER_S = 10.0

_FRAME = SAMPLE_RATE // 50
#: A pause between words is at least this long (20 frames of 20 ms).
_PAUSE_FRAMES = 20


def recognised(sound: Path, recogniser: Recogniser, *, window_s: float = WINDOW_S) -> Iterator[Segment]:
    """Listen to a whole file of 16 kHz mono s16 samples, window by window."""
    total_s = sound.stat().st_size / BYTES_PER_SECOND
    start_s = 0.0
    with sound.open("rb") as samples:
        while start_s < total_s:
            window, until_s = _next_window(samples, start_s, total_s, window_s)
            words = tuple(_moved(word, start_s) for word in recogniser.words(window))
            yield Segment(until_s, words)
            start_s = until_s


def quietest(samples: bytes) -> float:
    """Give the middle of the quietest pause in these samples, in seconds from their start."""
    energies = _energies(samples)
    width = min(_PAUSE_FRAMES, len(energies))
    if not width:
        return 0.0
    level = best = sum(energies[:width])
    at = 0
    for first in range(1, len(energies) - width + 1):
        level += energies[first + width - 1] - energies[first - 1]
        if level <= best:  # of equally silent places the last: fewer windows
            best, at = level, first
    return (at + width / 2) * _FRAME / SAMPLE_RATE


def _next_window(samples: BinaryIO, start_s: float, total_s: float, window_s: float) -> tuple[bytes, float]:
    samples.seek(_offset(start_s))
    if total_s - start_s <= window_s + min(REMAINDER_S, window_s / 4):
        return samples.read(), total_s
    window = samples.read(_offset(window_s))
    seam_from = _offset(window_s - min(SEAM_S, window_s / 2))
    cut = seam_from + _offset(quietest(window[seam_from:]))
    return window[:cut], start_s + cut / BYTES_PER_SECOND


def _offset(seconds: float) -> int:
    return round(seconds * SAMPLE_RATE) * 2


def _energies(samples: bytes) -> list[int]:
    values = array("h", samples[: len(samples) // 2 * 2])
    if byteorder == "big":
        values.byteswap()
    frames = (values[at : at + _FRAME] for at in range(0, len(values) - _FRAME + 1, _FRAME))
    return [sum(map(mul, frame, frame)) for frame in frames]


def _moved(word: Word, by_s: float) -> Word:
    return Word(word.text, word.start_s + by_s, word.end_s + by_s, word.glued)
