"""When the messages of one queue arrived, from counts alone, and so the age of the oldest that waits. Pure.

A queue is first in, first out. If ``arrived`` messages ever came and ``ready`` of them still wait, then the oldest one
waiting is number ``arrived − ready + 1``, and it came when the count of arrivals passed that number. No message is
touched to know it.

Two counts tell of arrivals. The broker's own (``published``) is complete, and late by its statistics interval. The
number of ready messages is exact at once: whatever it rises by has arrived, or has come back from a worker. Such rises
are believed at first; what the broker's count does not confirm in time was a return, which makes nothing younger.

What comes and goes within the broker's lateness is not seen at once: while a queue both flows and grows, a message that
has just left may be taken for waiting, and the age is too high until the count has caught up. It is never too low by
more than that lateness, and exact for a queue that nobody serves.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds in which the broker's statistics must have caught up (five by default, and as much again on their way).
SETTLE_S = 15.0
#: Seconds between two looks beyond which nobody knows when in between a message came.
GAP_S = 5.0
#: Points kept for each queue; beyond that the older half is thinned out.
MOST_POINTS = 20_000
#: Seconds for which points are kept although nothing that old waits: messages may come back.
KEEP_S = 900.0


@dataclass(frozen=True, slots=True)
class Lag:
    """Age of the oldest waiting message in seconds; ``exact`` is False when it is at least that old."""

    seconds: float
    exact: bool = True


NOTHING_WAITS = Lag(0.0)


class Arrivals:
    """The arrivals at one queue since the first look."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._counts: list[int] = []
        self._ready = 0
        self._published: int | None = None
        self._unconfirmed = 0
        self._unconfirmed_since = 0.0

    @property
    def count(self) -> int:
        """Messages that arrived, from any zero."""
        return self._counts[-1] if self._counts else 0

    def take(self, now: float, ready: int, published: int | None) -> None:
        """Take a look at ``now`` (Unix seconds). ``published``: the broker's own count, None: none yet."""
        if not self._times:
            self._append(now, ready)
        else:
            self._append(now, self.count + self._arrived(now, ready, published))
        self._ready = ready
        self._published = published
        if self._unconfirmed and published is not None and now - self._unconfirmed_since > SETTLE_S:
            self._take_back()
        self._forget(now)

    def lag(self, now: float) -> Lag:
        """Give the age of the oldest message that was ready at the last look."""
        if not self._ready or not self._times:
            return NOTHING_WAITS
        position = bisect_left(self._counts, self.count - self._ready + 1)
        came = self._times[position]
        gap = came - self._times[position - 1] if position else GAP_S + 1
        return Lag(max(0.0, now - came), exact=gap <= GAP_S)

    def state(self) -> dict[str, object]:
        """Give what is needed to go on after a restart, as JSON values."""
        return {
            "times": [round(time, 1) for time in self._times],
            "counts": self._counts,
            "ready": self._ready,
            "published": self._published,
            "unconfirmed": self._unconfirmed,
            "unconfirmedSince": self._unconfirmed_since,
        }

    @classmethod
    def restore(cls, state: dict[str, object]) -> "Arrivals":
        """Go on from ``state()``. Raises KeyError, TypeError, ValueError for anything else."""
        arrivals = cls()
        times, counts = _numbers(state["times"]), _numbers(state["counts"])
        if len(times) != len(counts):
            raise ValueError("as many times as counts are needed")
        arrivals._times = times
        arrivals._counts = [int(count) for count in counts]
        arrivals._ready = int(str(state["ready"]))
        arrivals._published = None if state["published"] is None else int(str(state["published"]))
        arrivals._unconfirmed = int(str(state["unconfirmed"]))
        arrivals._unconfirmed_since = float(str(state["unconfirmedSince"]))
        return arrivals

    def _arrived(self, now: float, ready: int, published: int | None) -> int:
        """Give how many came since the last look, as far as can be seen by now."""
        rise = max(0, ready - self._ready)
        counted = (published or 0) - (self._published or 0)
        if counted < 0:  # the counter began anew with the broker: what it has counted since may be in the rise
            self._unconfirmed = 0
            return min(published or 0, rise)
        new = max(0, counted - self._unconfirmed)
        self._unconfirmed = max(0, self._unconfirmed - counted)
        if rise > new:
            if not self._unconfirmed:
                self._unconfirmed_since = now
            self._unconfirmed += rise - new
            new = rise
        return new

    def _take_back(self) -> None:
        """Count off what nobody published: it had been here before, and is as old as it ever was."""
        right = self.count - self._unconfirmed
        self._unconfirmed = 0
        start = bisect_left(self._counts, right)
        self._counts[start:] = [min(count, right) for count in self._counts[start:]]

    def _append(self, now: float, count: int) -> None:
        if len(self._counts) > 1 and count == self._counts[-1] == self._counts[-2]:
            self._times[-1] = max(now, self._times[-1])  # nothing came: the level goes on
            return
        self._times.append(max(now, self._times[-1]) if self._times else now)
        self._counts.append(count)

    def _forget(self, now: float) -> None:
        """Leave out points that no waiting message needs, and every second of the older ones when there are many."""
        needed = max(0, bisect_left(self._counts, self.count - self._ready + 1) - 1)
        recent = bisect_left(self._times, now - KEEP_S)
        if (unused := min(needed, recent)) > 64:  # seldom: cutting the front off a list moves all the rest
            del self._times[:unused], self._counts[:unused]
        if len(self._times) > MOST_POINTS:
            half = MOST_POINTS // 2
            self._times[:half] = self._times[1:half:2]
            self._counts[:half] = self._counts[1:half:2]


def _numbers(values: object) -> list[float]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise TypeError("a list of numbers is needed")
    return [float(value) for value in values]
