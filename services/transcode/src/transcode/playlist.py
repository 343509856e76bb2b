"""Reads a media playlist and what its segments weigh."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment: its name, its length in seconds."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Rates:
    """Bits per second: of the heaviest segment and on average (RFC 8216, section 4.3.4.2)."""

    peak: int
    average: int

    def __add__(self, other: "Rates") -> "Rates":
        return Rates(self.peak + other.peak, self.average + other.average)


def read_segments(text: str) -> tuple[Segment, ...]:
    """List the segments of a media playlist. Pure."""
    segments: list[Segment] = []
    seconds: float | None = None
    for line in text.splitlines():
        if line.startswith("#EXTINF:"):
            seconds = float(line.removeprefix("#EXTINF:").split(",")[0])
        elif line and not line.startswith("#") and seconds is not None:
            segments.append(Segment(line, seconds))
            seconds = None
    return tuple(segments)


def length_of(segments: Sequence[Segment]) -> float:
    """Give the length of all segments in seconds."""
    return sum(segment.seconds for segment in segments)


#: A segment shorter than this says nothing about the peak: one frame at a file's end may be all header.
_TOO_SHORT_S = 1.0


def measure(folder: Path, segments: Sequence[Segment]) -> Rates:
    """Measure the bit rates of the segments in a folder."""
    sizes = [(folder / segment.name).stat().st_size * 8 for segment in segments]
    average = sum(sizes) / max(length_of(segments), 1e-3)
    peaks = (
        size / segment.seconds for size, segment in zip(sizes, segments, strict=True) if segment.seconds >= _TOO_SHORT_S
    )
    return Rates(round(max(average, *peaks, 0.0)), round(average))
