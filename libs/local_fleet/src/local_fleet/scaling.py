"""KEDA's rule for the number of workers, and the horizontal autoscaler's patience on the way down."""

from collections import deque
from dataclasses import dataclass, field


def wanted_workers(ready: int, unacked: int, *, per_worker: int, fewest: int, most: int) -> int:
    """Give ⌈(ready + unacked) / per_worker⌉, kept between `fewest` and `most`.

    Unacknowledged messages count: with one long job in flight the queue looks empty, and its worker must stay.

    >>> wanted_workers(31, 0, per_worker=15, fewest=1, most=16)
    3
    """
    backlog = max(0, ready) + max(0, unacked)
    return min(most, max(fewest, -(-backlog // per_worker)))


@dataclass
class CoolDown:
    """Up at once, down only to the highest number that was wanted within the last `window_s` seconds."""

    window_s: float
    _wanted: deque[tuple[float, int]] = field(default_factory=deque)

    def settle(self, now: float, wanted: int, running: int) -> int:
        """Give the number of workers to run at `now` (any clock in seconds that only grows)."""
        if not self._wanted:  # what runs at the beginning was wanted by somebody
            self._wanted.append((now, running))
        self._wanted.append((now, wanted))
        while self._wanted[0][0] < now - self.window_s:
            self._wanted.popleft()
        return max(count for _, count in self._wanted)
