"""Sizes of pictures, as 4:2:0 can hold them. Pure."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels."""

    width: int
    height: int

    def scaled(self, scale: float) -> "Size":
        """Give the size at that scale, each side as the nearest even number, at least 2.

        An odd side loses a pixel and gains none, so that a scale of at most 1 never enlarges.
        """
        return Size(_even(self.width * scale), _even(self.height * scale))


def _even(side: float) -> int:
    return max(2, 2 * math.ceil(side / 2 - 0.5))
