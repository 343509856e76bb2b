"""How fast a queue drains, from how its depth and the arrivals changed. Pure: the caller brings the time."""

from collections import deque

#: Seconds over which the rate is taken.
WINDOW_S = 10.0
#: Shorter spans tell more of what is on its way than of the drain.
SHORTEST_S = 1.0


class DrainRate:
    """Messages per second that left one queue in the last ``WINDOW_S`` seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def add(self, now: float, depth: int, arrived: int) -> None:
        """Take a reading. ``arrived`` counts every message that ever came, from any zero."""
        self._samples.append((now, arrived - depth))
        # One sample at or before the window's edge stays, so that the span never falls short of it.
        while len(self._samples) > 1 and self._samples[1][0] <= now - WINDOW_S:
            self._samples.popleft()

    @property
    def per_s(self) -> float:
        """The rate; 0 while it isn't known, and where more came from elsewhere than left."""
        if not self._samples:
            return 0.0
        (start, left_before), (end, left) = self._samples[0], self._samples[-1]
        if end - start < SHORTEST_S:
            return 0.0
        return max(0.0, (left - left_before) / (end - start))
