"""How long workers took from their start to their first message. Pure."""

from collections import deque
from collections.abc import Iterable

from console.control.fleet_control import WorkerView
from console.planner.job_times import JobTimes

#: Starts that are remembered for each channel.
KEPT = 40
#: A worker that needed longer waited for something else: for an image, for a node.
LONGEST_S = 600.0


class Starts:
    """The latest starts of one channel's workers."""

    def __init__(self) -> None:
        self._seen: deque[tuple[str, float, float]] = deque(maxlen=KEPT)

    def take(self, workers: Iterable[WorkerView], broker_since: float) -> None:
        """Note the starts that were not known yet, and that no broker kept waiting.

        broker_since: when the broker began to answer, in Unix seconds; infinite while it does not.
        """
        known = {(name, began) for name, began, _ in self._seen}
        for worker in workers:
            if worker.started_at is None or worker.ready_at is None:
                continue
            if worker.started_at.timestamp() < broker_since:
                continue
            took = (worker.ready_at - worker.started_at).total_seconds()
            key = (worker.name, worker.started_at.timestamp())
            if 0 <= took <= LONGEST_S and key not in known:
                self._seen.append((*key, took))

    @property
    def times(self) -> JobTimes | None:
        """Their times in seconds; None while nobody has been seen to start."""
        return JobTimes(tuple(sorted(took for *_, took in self._seen))) if self._seen else None
