"""When each upload is due: the rate climbs in a straight line and stays at the top. Pure."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """`requests` uploads: `rate` per second at the top, which is reached after `ramp_s` seconds."""

    rate: float
    requests: int
    ramp_s: float

    @property
    def climb_s(self) -> float:
        """Seconds of the climb: shorter than wished for where so few uploads would never come to the top."""
        return min(self.ramp_s, self.requests / self.rate)

    @property
    def duration_s(self) -> float:
        """Seconds from the first upload to the last."""
        return self.due(self.requests - 1)

    def due(self, number: int) -> float:
        """Give the seconds from the start to upload `number`, counted from 0."""
        climbing = self.rate * self.climb_s / 2
        if number < climbing:
            return math.sqrt(2 * self.climb_s * number / self.rate)
        return self.climb_s + (number - climbing) / self.rate

    def rate_at(self, elapsed_s: float) -> float:
        """Give the uploads per second that are wanted then; 0 after the last."""
        if elapsed_s > self.duration_s:
            return 0.0
        return self.rate if elapsed_s >= self.climb_s else self.rate * elapsed_s / self.climb_s

    def users_at(self, elapsed_s: float, most: int) -> int:
        """Give the users that are needed then: they grow with the rate up to `most`, and never become fewer."""
        reached = 1.0 if elapsed_s >= self.climb_s else elapsed_s / self.climb_s
        return max(min(most, 10), math.ceil(most * reached))
