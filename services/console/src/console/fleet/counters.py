"""Rates from counters that only grow, and may begin anew with the broker. Pure."""

from bisect import bisect_left
from collections import deque

#: Seconds over which the rates on the page are taken: the broker's counters move in steps of up to five.
SHOWN_S = 6.0


class Counter:
    """The readings of one counter, for ``keep_s`` seconds."""

    def __init__(self, keep_s: float = 330.0) -> None:
        self._keep_s = keep_s
        self._times: deque[float] = deque()
        self._values: deque[int] = deque()
        self._last: int | None = None

    def add(self, now: float, reading: int | None) -> None:
        """Take a reading (None: nothing was counted yet). A smaller one than before means that it began anew."""
        reading = reading or 0
        total = self._values[-1] if self._values else 0
        if self._last is not None:
            total += reading - self._last if reading >= self._last else reading
        self._last = reading
        self._times.append(now)
        self._values.append(total)
        while len(self._times) > 2 and self._times[1] <= now - self._keep_s:
            self._times.popleft()
            self._values.popleft()

    def grown(self, window_s: float) -> tuple[int, float]:
        """Give by how much it grew over the last ``window_s`` seconds or what is known of them, and that time."""
        if len(self._times) < 2:
            return 0, 0.0
        newest = self._times[-1]
        start = min(bisect_left(self._times, newest - window_s - 0.25), len(self._times) - 2)
        return self._values[-1] - self._values[start], newest - self._times[start]

    def rate(self, window_s: float = SHOWN_S) -> float:
        """Give its growth in each second over the last ``window_s`` seconds."""
        grown, seconds = self.grown(window_s)
        return grown / seconds if seconds > 0 else 0.0
