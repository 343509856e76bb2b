"""What all workers of one channel have counted over the last minutes, whoever of them came and went. Pure."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from console.planner.worker_metrics import NOTHING_COUNTED, WorkerCounters

#: Seconds that are remembered.
KEEP_S = 900.0


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted, over how many seconds; ``since_start``: over the workers' whole lives, not a window."""

    counters: WorkerCounters
    seconds: float
    since_start: bool = False


class Tally:
    """Differences between readings. Workers are told apart by a name that a restart changes."""

    def __init__(self, keep_s: float = KEEP_S) -> None:
        self._keep_s = keep_s
        self._steps: deque[tuple[float, WorkerCounters]] = deque()
        self._last: dict[str, tuple[float, WorkerCounters]] = {}
        self._before = NOTHING_COUNTED

    def take(self, now: float, readings: Mapping[str, WorkerCounters]) -> int:
        """Take a reading of every worker there is at ``now`` (seconds); gives the jobs that ended since the last one.

        One that is new has counted from zero. One that is left out may come again; what it counted after its last
        reading is not known until then.
        """
        step = NOTHING_COUNTED
        for worker, reading in readings.items():
            if not self._steps:
                self._before = self._before.plus(reading)
            else:
                _, before = self._last.get(worker, (0.0, NOTHING_COUNTED))
                step = step.plus(reading.since(before))
            self._last[worker] = (now, reading)
        self._last = {worker: last for worker, last in self._last.items() if last[0] > now - self._keep_s}
        self._steps.append((now, step))
        while self._steps[0][0] < now - self._keep_s:
            self._steps.popleft()
        return step.jobs

    def over(self, window_s: float, enough: int) -> Counted:
        """Give what was counted over the last ``window_s`` seconds, or longer ago where that is too little.

        Fewer than ``enough`` jobs are too little; then everything that is known is taken, also what the workers had
        counted when they were first looked at.
        """
        if not self._steps:
            return Counted(NOTHING_COUNTED, 0.0)
        now = self._steps[-1][0]
        recent = self._sum_since(now - window_s)
        if recent.jobs >= enough:
            return Counted(recent, min(window_s, now - self._steps[0][0]))
        longest = self._sum_since(float("-inf"))
        if longest.jobs >= enough or not self._before.jobs:
            return Counted(longest, now - self._steps[0][0])
        return Counted(longest.plus(self._before), now - self._steps[0][0], since_start=True)

    def _sum_since(self, begin: float) -> WorkerCounters:
        total = NOTHING_COUNTED
        for at, step in self._steps:
            if at > begin:
                total = total.plus(step)
        return total
