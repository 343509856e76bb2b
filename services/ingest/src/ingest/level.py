"""How deep the deepest queue is now, by the last reading and what is known since. Pure: the caller brings the time."""

from dataclasses import dataclass

#: Without readings a full queue is taken to drain in so many seconds, if it was not seen to drain faster.
FADE_S = 60.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a look at the broker gave: the deepest queue, its messages, what leaves it per second, and when."""

    queue: str
    depth: int
    drain_per_s: float
    #: Monotonic seconds.
    at: float
    #: Arrivals counted before the look.
    arrived: int


class Level:
    """The depth between two readings, and without them.

    While the last reading is fresh, what arrived since is added, less what drains meanwhile; the reading itself is
    not doubted, so a full queue is full until it is seen otherwise. When it is older than ``trusted_s`` seconds the
    level becomes a leaky bucket: it falls at the last drain rate, at least so fast that a full queue is empty after
    FADE_S, and rises with what is let in. So a poll that fails shuts the door neither for ever nor never: about as
    much is let in as went through before.
    """

    def __init__(self, capacity: int, *, trusted_s: float, now: float) -> None:
        self._least_leak = capacity / FADE_S
        self._trusted_s = trusted_s
        self._reading = Reading("", 0, 0.0, now - trusted_s, 0)
        self._level = 0.0
        self._moment = now
        self._arrived = 0

    @property
    def reading(self) -> Reading:
        """The last reading; of no queue while there was none."""
        return self._reading

    def take(self, reading: Reading) -> None:
        """Start anew from a reading."""
        self._reading = reading
        self._level = float(reading.depth)
        self._moment = reading.at
        self._arrived = reading.arrived

    def is_fresh(self, now: float) -> bool:
        """Tell whether the last reading still counts as it is."""
        return now - self._reading.at < self._trusted_s

    def at(self, now: float, arrived: int) -> float:
        """Give the messages that the deepest queue holds by now, as far as known."""
        reading = self._reading
        if self.is_fresh(now):
            passed = reading.drain_per_s * (now - reading.at)
            self._level = reading.depth + max(0.0, arrived - reading.arrived - passed)
        else:
            since = max(self._moment, reading.at + self._trusted_s)
            leaked = max(reading.drain_per_s, self._least_leak) * max(0.0, now - since)
            self._level = max(0.0, self._level - leaked) + arrived - self._arrived
        self._moment, self._arrived = now, arrived
        return self._level
