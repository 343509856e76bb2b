"""What is remembered of one channel: its queue, its workers' counters, their starts. Pure: the time is given."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from console.control.fleet_control import ChannelWorkers
from console.fleet.history import SERIES, Sample
from console.planner.arrivals_seen import ArrivalsSeen
from console.planner.slot_cycle import Moment
from console.planner.starts import Starts
from console.planner.tally import KEEP_S, Tally
from console.planner.worker_metrics import WorkerCounters

_READY, _UNACKED, _PUBLISHED, _WORKING, _LAG = (
    SERIES.index(name) for name in ("ready", "unacked", "publishedRate", "working", "lag")
)


@dataclass(frozen=True, slots=True)
class Queued:
    """The queue now; ``oldest_s``: how long the oldest message has waited, in seconds."""

    ready: int = 0
    unacked: int = 0
    oldest_s: float = 0.0


class ObservedChannel:
    """The last minutes of one channel."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.starts = Starts()
        self.arrivals = ArrivalsSeen()
        self.moments: deque[Moment] = deque()
        self.workers: ChannelWorkers | None = None
        self.now = Queued()
        self._finished = 0

    def take_workers(self, workers: ChannelWorkers, broker_since: float) -> None:
        """Note who works. broker_since: see Starts."""
        self.workers = workers
        self.starts.take(workers.workers, broker_since)

    def take_queue(self, name: str, samples: Sequence[Sample]) -> None:
        """Note what the fleet's history tells of the seconds since the last time, oldest first."""
        rows = [(sample.at, sample.rows[name]) for sample in samples if name in sample.rows]
        for at, row in rows:
            self.arrivals.add(at, float(row[_PUBLISHED] or 0.0))
        if not rows:
            return
        at, last = rows[-1]
        self.now = Queued(int(last[_READY] or 0), int(last[_UNACKED] or 0), float(last[_LAG] or 0.0))
        working = {int(row[_WORKING] or 0) for _, row in rows}
        self.moments.append(
            Moment(
                at=at,
                # the least of the interval: a queue that ran empty in between was not full
                ready=min(int(row[_READY] or 0) for _, row in rows),
                unacked=self.now.unacked,
                arrived=0,
                finished=self._finished,
                consumers=working.pop() if len(working) == 1 else 0,
            )
        )
        while self.moments[0].at < at - KEEP_S:
            self.moments.popleft()

    def take_counters(self, now: float, readings: Mapping[str, WorkerCounters]) -> None:
        """Note what every worker has counted by ``now`` (seconds)."""
        self._finished += self.tally.take(now, readings)
