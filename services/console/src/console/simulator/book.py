"""The book a simulation keeps of itself: counters, levels, rates, and the trace if somebody wants it."""

from collections import deque

from console.simulator.gauges import Level, Rate
from console.simulator.message import Message
from console.simulator.readings import Counts, DeadLetter
from console.simulator.trace import Step, What

#: Dead letters that are kept to be looked at; all are counted.
_DEAD_LETTERS = 6


class Book:
    """Everything that is written down; the parts of a simulation share one."""

    def __init__(self, *, trace: bool) -> None:
        self.counts = Counts()
        self.entered, self.done, self.failed = Rate(), Rate(), Rate()
        self.dropped, self.refused = Rate(), Rate()
        #: Workers from the beginning of their start to their end, and those that take messages.
        self.workers, self.running = Level(), Level()
        #: Jobs, jobs on poison, CPU in use.
        self.busy, self.poison, self.cpu = Level(), Level(), Level()
        #: The latest in the dead-letter queue, the oldest of them first.
        self.dead_letters: deque[DeadLetter] = deque(maxlen=_DEAD_LETTERS)
        self.held, self.back_off, self.with_callers = 0, 0, 0
        #: Poison messages that are in the queue or come back to it.
        self.poison_about = 0
        self.poison_back_off = 0
        self.throttled_s = 0.0
        self.held_back = 0.0
        self.waits, self.waited_s, self.longest_wait_s = 0, 0.0, 0.0
        self._steps: list[Step] | None = [] if trace else None

    def trace(self, now: float, what: What, message: Message, place: int) -> None:
        """Write down a step of a message, if somebody asked for it."""
        if self._steps is not None:
            self._steps.append(Step(now, what, message.number, place, message.kind))

    def tear_out(self) -> list[Step]:
        """Give the steps since the last call, and forget them."""
        steps = self._steps or []
        if self._steps is not None:
            self._steps = []
        return steps

    def died(self, now: float, message: Message) -> None:
        """Write down that a message became a dead letter."""
        self.counts.dead += 1
        self.poison_about -= message.poison
        kind = "rejected" if message.rejected else "poison" if message.poison else "retry"
        self.dead_letters.append(DeadLetter(message.number, kind, message.attempt, message.made_at, now))

    def waited(self, seconds: float) -> None:
        """Write down that a message was taken after so many seconds in the queue."""
        self.waits += 1
        self.waited_s += seconds
        self.longest_wait_s = max(self.longest_wait_s, seconds)
