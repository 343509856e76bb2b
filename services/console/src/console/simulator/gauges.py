"""What a simulation counts with: levels over time, and rates of the last moment. Memory stays flat."""

from collections import deque


class Level:
    """A number that goes up and down, and its sum over time (workers × seconds = worker-seconds)."""

    __slots__ = ("_area", "_since", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self._area = 0.0
        self._since = 0.0

    def add(self, change: float, now: float) -> None:
        """Go up or down at `now` (simulated seconds)."""
        self._area += self.value * (now - self._since)
        self._since = now
        self.value += change

    def area(self, now: float) -> float:
        """Give the sum over time up to `now`; changes nothing."""
        return self._area + self.value * (now - self._since)


class Rate:
    """How many a second, over the last second (or less, at the beginning)."""

    #: Tenths of a second that are looked at.
    _SLICES = 10

    __slots__ = ("_slices",)

    def __init__(self) -> None:
        self._slices: deque[list[int]] = deque()

    def count(self, now: float) -> None:
        """Count one at `now`."""
        tenth = int(now * self._SLICES)
        if self._slices and self._slices[-1][0] == tenth:
            self._slices[-1][1] += 1
            return
        self._slices.append([tenth, 1])
        if self._slices[0][0] <= tenth - 2 * self._SLICES:
            self._slices.popleft()

    def per_s(self, now: float) -> float:
        """Give the rate of the second before `now`; changes nothing."""
        tenth = int(now * self._SLICES)
        seen = sum(count for at, count in self._slices if tenth - self._SLICES <= at < tenth)
        return seen / min(1.0, max(tenth / self._SLICES, 1 / self._SLICES))
