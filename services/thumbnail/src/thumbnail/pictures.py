"""Reads what the filter graph noted of each picture. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: Share of the expected pictures that has to come; damaged files lack some.
_ENOUGH = 0.8


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's moment in seconds and the spread of its luma (0 to 255), which tells a scene from a blank."""

    moment_s: float
    contrast: float


def read_pictures(log: str) -> tuple[Picture, ...]:
    """Read the lines of ffmpeg's ``metadata=print``: one ``pts_time`` for each picture, then its statistics."""
    pictures: list[Picture] = []
    for block in log.split("frame:")[1:]:
        head, *lines = block.splitlines()
        values = dict(line.removeprefix("lavfi.signalstats.").split("=", 1) for line in lines if "=" in line)
        contrast = float(values.get("YHIGH", 0)) - float(values.get("YLOW", 0))
        pictures.append(Picture(float(head.rsplit("pts_time:", 1)[1]), contrast))
    return tuple(pictures)


def in_order(pictures: Sequence[Picture], expected: int) -> bool:
    """Say whether nearly all expected pictures came, each later than the one before."""
    rising = all(before.moment_s < after.moment_s for before, after in pairwise(pictures))
    return rising and len(pictures) >= max(1, expected * _ENOUGH)


def liveliest(pictures: Sequence[Picture]) -> float:
    """Give the moment of the picture with the most contrast; the first of equals, 0 without any."""
    return max(pictures, key=lambda picture: picture.contrast, default=Picture(0.0, 0.0)).moment_s
