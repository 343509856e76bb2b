"""Numbers that say where they come from, and how much they are worth."""

from dataclasses import dataclass
from typing import Literal

#: measured: seen in this fleet. configured: the channels file or the fleet's settings say so. given: you said so.
#: assumed: nobody knows; a usual value.
Source = Literal["measured", "configured", "given", "assumed"]

#: Fewer samples than this make a figure uncertain.
ENOUGH_SAMPLES = 30


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, where it comes from, and for a measured one from how many samples over how many seconds."""

    value: float
    source: Source
    samples: int = 0
    over_s: float = 0.0

    @property
    def is_sure(self) -> bool:
        """Whether it stands on something: said by somebody, or measured often enough."""
        return self.source in ("given", "configured") or (self.source == "measured" and self.samples >= ENOUGH_SAMPLES)


def given(value: float) -> Figure:
    """Give a figure that somebody said."""
    return Figure(value, "given")


def measured(value: float, samples: int, over_s: float = 0.0) -> Figure:
    """Give a figure that was seen ``samples`` times within ``over_s`` seconds."""
    return Figure(value, "measured", samples, over_s)


def configured(value: float) -> Figure:
    """Give a figure from a file or a setting."""
    return Figure(value, "configured")


def assumed(value: float) -> Figure:
    """Give a usual value where nothing is known."""
    return Figure(value, "assumed")
