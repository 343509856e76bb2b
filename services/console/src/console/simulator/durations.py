"""How long things take: distributions a simulation draws from, in seconds.

A draw is made from one number between 0 and 1, so that the same message takes the same time whoever works on it.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Around(BaseModel):
    """Evenly spread around a mean: 0.1 s with a spread of 0.2 is anything from 0.08 s to 0.12 s."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["around"] = "around"
    mean_s: Seconds
    #: Largest distance from the mean, as a fraction of it.
    spread: float = Field(default=0.0, ge=0, le=1)

    def at(self, share: float) -> float:
        """Give the duration below which `share` (0 to 1) of all durations are."""
        return self.mean_s * (1 + self.spread * (2 * share - 1))


class Measured(BaseModel):
    """Durations that were seen somewhere, long tail and all: each is as likely as the next."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["measured"] = "measured"
    #: In any order; the more, the truer. A duration seen twice is in here twice.
    samples_s: tuple[Seconds, ...] = Field(min_length=1)

    @property
    def mean_s(self) -> float:
        """The mean of the samples."""
        return sum(self.samples_s) / len(self.samples_s)

    def at(self, share: float) -> float:
        """Give one of the samples: `share` (0 to 1) of the way through them."""
        return self.samples_s[min(int(share * len(self.samples_s)), len(self.samples_s) - 1)]


Durations = Annotated[Around | Measured, Field(discriminator="kind")]


def always(seconds: float) -> Around:
    """Give the distribution that knows one duration only.

    >>> always(2.5).at(0.99)
    2.5
    """
    return Around(mean_s=seconds)
