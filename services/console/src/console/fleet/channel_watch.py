"""What one channel's readings come to over time. Pure: the caller brings the time."""

from collections.abc import Mapping

from console.fleet.arrivals import Arrivals
from console.fleet.counters import Counter
from console.fleet.drain import drain_s
from console.fleet.looks import ChannelLook, QueueReading, Workers
from console.fleet.storm import StormWatch


class ChannelWatch:
    """Remembers as much of a channel as lag, rates and warnings need."""

    def __init__(self, name: str, queue: str, arrivals: Arrivals | None = None) -> None:
        self.name = name
        self.queue = queue
        self.arrivals = arrivals or Arrivals()
        self._published = Counter()
        self._delivered = Counter()
        self._acked = Counter()
        self._redelivered = Counter()
        self._left = Counter()
        self._given_up = 0
        self._dead_letters: int | None = None
        self._storm = StormWatch()

    def take(self, now: float, work: QueueReading, dead: QueueReading, workers: Workers | None) -> ChannelLook:
        """Take a reading of the channel's queue and its dead-letter queue at ``now`` (Unix seconds)."""
        self.arrivals.take(now, work.ready, work.published)
        self._count(now, work, dead)
        return ChannelLook(
            name=self.name,
            queue=self.queue,
            ready=work.ready,
            unacked=work.unacked,
            total=work.total,
            stuck=work.stuck,
            consumers=work.consumers,
            dead_letters=dead.total,
            published_rate=self._published.rate(),
            delivered_rate=self._delivered.rate(),
            acked_rate=self._acked.rate(),
            redelivered_rate=self._redelivered.rate(),
            lag=self.arrivals.lag(now),
            drain_s=drain_s(work.ready + work.unacked, self._published, self._left),
            storm=self._storm.look(now, self._redelivered, self._acked),
            workers=workers,
        )

    def _count(self, now: float, work: QueueReading, dead: QueueReading) -> None:
        for counter, reading in (
            (self._published, work.published),
            (self._delivered, work.delivered),
            (self._acked, work.acked),
            (self._redelivered, work.redelivered),
        ):
            counter.add(now, reading)
        if self._dead_letters is not None:
            self._given_up += max(0, dead.total - self._dead_letters)
        self._dead_letters = dead.total
        self._left.add(now, (work.acked or 0) + self._given_up)


def channel_of(queue: str) -> str:
    """Give the channel that a queue behind the exchange belongs to, by the names that the topology gives."""
    return queue.removeprefix("media.")


def dead_letter_queue(queue: str) -> str:
    """Give the name of a work queue's dead-letter queue."""
    return f"{queue}.dlq"


def in_order(names: Mapping[str, object], declared: tuple[str, ...]) -> list[str]:
    """Give the channels in the order of the channels file, strangers after them by name."""
    known = [name for name in declared if name in names]
    return known + sorted(set(names) - set(known))
