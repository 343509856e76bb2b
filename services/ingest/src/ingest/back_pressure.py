"""Back-pressure: uploads are shed in proportion to what is left of the deepest queue's capacity.

The pure rules are in `shedding`, `level` and `drain_rate`; here they meet the clock, the threads and the metrics.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import structlog

from ingest import metrics
from ingest.arrivals import Arrivals
from ingest.depth_poll import DepthPoll
from ingest.drain_rate import DrainRate
from ingest.level import Level, Reading
from ingest.problems import OVER_CAPACITY, Problem
from ingest.shedding import Spread, retry_after_s, room_left, shed_fraction

log = structlog.get_logger()

#: A reading counts as it is for so many poll intervals, and for at least so many seconds.
_TRUSTED_INTERVALS = 3
_TRUSTED_AT_LEAST_S = 5.0
#: The depths are read anew after this share of the capacity was let in.
_LOOK_AFTER_SHARE = 0.01
#: A burst waits so long for a fresh reading; after that the last one decides.
_REFRESH_LIMIT_S = 1.0
#: Shedding has ended when nothing was shed for so many seconds.
_CALM_S = 10.0


class BackPressure:
    """Decides who is let in while the queues are full or nearly so. Thread-safe; one in each worker process.

    ``arrivals`` is shared by the processes of one ingest. ``read`` gives the messages by queue, of one queue at least,
    and may raise.
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, int]],
        *,
        capacity: int,
        high_water: float,
        interval_s: float,
        arrivals: Arrivals,
        close: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity = capacity
        self._high_water = high_water
        self._arrivals = arrivals
        self._clock = clock
        self._lock = threading.Lock()
        trusted_s = max(_TRUSTED_AT_LEAST_S, _TRUSTED_INTERVALS * interval_s)
        self._level = Level(capacity, trusted_s=trusted_s, now=clock())
        self._rates: dict[str, DrainRate] = {}
        self._spread = Spread()
        self._look_after = max(1, int(capacity * _LOOK_AFTER_SHARE))
        self._coming = 0
        self._episode = _Episode()
        self._poll = DepthPoll(
            read, interval_s=interval_s, arrived=arrivals.total, take=self._take, tick=self._tick, close=close
        )

    def start(self) -> None:
        """Begin to read the depths. Call it after the fork."""
        metrics.CAPACITY.set(self._capacity)
        self._poll.start()

    def close(self) -> None:
        """Stop reading."""
        self._poll.stop()

    def refresh(self) -> None:
        """Read the depths now; returns when that is done, or after a second."""
        self._poll.refresh(_REFRESH_LIMIT_S)

    def admit(self, is_repetition: Callable[[], bool]) -> None:
        """Let one upload in, or raise Problem 429. A repetition that will not be published again is always let in."""
        with self._lock:
            depth, arrived = self._now()
            refused = self._spread.refuses(self._fraction(depth))
            if not refused:
                self._arrivals.add()
                eager = arrived + 1 - self._level.reading.arrived >= self._look_after
        if not refused:
            if eager:
                self._poll.wake()
        elif not is_repetition():
            raise self._refusal(depth, depth - self._high_water * self._capacity, "this upload")

    @contextmanager
    def admit_burst(self, count: int) -> Iterator[None]:
        """Let a burst in as a whole, or raise Problem 429. It must fit into what is left, by a fresh reading."""
        self.refresh()
        with self._lock:
            depth, _ = self._now()
            short = count - room_left(depth, self._capacity)
            refused = short > 0 or self._spread.refuses(self._fraction(depth))
            if not refused:
                self._coming += count
        if refused:
            surplus = max(short, depth - self._high_water * self._capacity)
            never = " (more than the capacity, so it never fits)" if count > self._capacity else ""
            raise self._refusal(depth, surplus, f"a burst of {count}{never}")
        try:
            yield
        finally:
            with self._lock:
                self._coming -= count
                self._arrivals.add(count)
            self._poll.wake()

    def _now(self) -> tuple[float, int]:
        """Give the depth, with all of a burst that is coming in, and the arrivals so far."""
        arrived = self._arrivals.total()
        return self._level.at(self._clock(), arrived) + self._coming, arrived

    def _fraction(self, depth: float) -> float:
        return shed_fraction(depth, self._capacity, self._high_water)

    def _refusal(self, depth: float, surplus: float, what: str) -> Problem:
        """Count and describe a refusal. ``surplus`` messages have to leave the queue before there is room."""
        with self._lock:
            reading = self._level.reading
            begins = self._episode.shed(self._clock())
        metrics.SHED.inc()
        left = room_left(depth, self._capacity)
        if begins:
            log.warning(
                "shedding_started",
                queue=reading.queue,
                depth=math.ceil(depth),
                capacity=self._capacity,
                drain_per_s=round(reading.drain_per_s, 1),
                tip="the channel behind this queue is slower than the uploads: start more of its workers",
            )
        wait = retry_after_s(surplus, reading.drain_per_s)
        return Problem(
            OVER_CAPACITY,
            f"The deepest queue holds {math.ceil(depth)} of {self._capacity} messages and has room for {left} more, "
            f"so {what} was refused; nothing was stored. Send it again in {wait} s.",
            {"depth": math.ceil(depth), "capacity": self._capacity, "left": left},
            {"Retry-After": str(wait)},
        )

    def _take(self, depths: Mapping[str, int], arrived: int) -> None:
        """Take a reading of all queues; runs on the poll's thread."""
        now = self._clock()
        self._rates = {queue: self._rates.get(queue) or DrainRate() for queue in depths}
        for queue, depth in depths.items():
            self._rates[queue].add(now, depth, arrived)
        deepest = max(depths, key=lambda queue: (depths[queue], -self._rates[queue].per_s))
        with self._lock:
            self._level.take(Reading(deepest, depths[deepest], self._rates[deepest].per_s, now, arrived))

    def _tick(self) -> None:
        """Tell the metrics and the log, after each look whether it worked or not."""
        now = self._clock()
        with self._lock:
            depth, _ = self._now()
            stale = not self._level.is_fresh(now)
            ended = self._episode.end(now)
        metrics.DEEPEST_QUEUE.set(depth)
        metrics.ACCEPT_FRACTION.set(1 - self._fraction(depth))
        metrics.DEPTH_STALE.set(int(stale))
        if ended is not None:
            log.info("shedding_ended", depth=math.ceil(depth), shed=ended[0], seconds=round(ended[1], 1))


class _Episode:
    """From the first refusal to the calm after the last one."""

    def __init__(self) -> None:
        self._count = 0
        self._first = self._last = 0.0

    def shed(self, now: float) -> bool:
        """Count a refusal; True when it is the first one."""
        begins = not self._count
        if begins:
            self._first = now
        self._count += 1
        self._last = now
        return begins

    def end(self, now: float) -> tuple[int, float] | None:
        """Give refusals and seconds of what has ended by now, and begin anew."""
        if not self._count or now - self._last < _CALM_S:
            return None
        count, self._count = self._count, 0
        return count, self._last - self._first
