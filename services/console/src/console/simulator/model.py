"""What a simulation can be told: immutable values, in seconds, messages and fractions of 1.

The defaults are the seed of a classroom: four producers, a queue of at most 300 messages, consumers that take about six
messages a second each. A planner fills the same values from measurements:

>>> from console.simulator.durations import Measured, always
>>> from console.simulator.policies import QueueLength
>>> plan = Setting(
...     producers=Producers(count=1, rates=((0.0, 3.0), (600.0, 6.0)), pattern="poisson"),
...     queue=Queue(capacity=None),
...     workers=Workers(
...         service=Measured(samples_s=(1.9, 2.0, 2.2, 9.5)), concurrency=2, prefetch=5, start_up=always(12)
...     ),
...     scaling=QueueLength(per_worker=15, minimum=2, maximum=8, interval_s=15, cooldown_s=300, tolerance=0.1),
...     faults=Faults(transient=0.02, rejected=0.001),
...     retries=Retries(count=3, initial_s=0.5, where="worker"),
... )
"""

import math
from bisect import bisect_right
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from console.simulator.durations import Around, Durations, Seconds
from console.simulator.policies import Fixed, Policy


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Producers(_Value):
    """Where messages come from."""

    count: int = Field(default=4, ge=1)
    #: (from second, messages per second of all producers together), by time; the last goes on. A burst is a step.
    rates: tuple[tuple[Seconds, Seconds], ...] = Field(default=((0.0, 24.0),), min_length=1)
    #: Seconds after which the rates begin anew (waves, days). None: the last goes on for ever.
    repeat_s: float | None = Field(default=None, gt=0)
    #: even: at regular intervals. poisson: independently of each other, in clusters and gaps, as users do.
    pattern: Literal["even", "poisson"] = "even"

    @model_validator(mode="after")
    def _in_order(self) -> "Producers":
        times = [since for since, _ in self.rates]
        if times[0] != 0 or times != sorted(times):
            raise ValueError("rates begin at second 0 and go up in time")
        if self.repeat_s is not None and times[-1] >= self.repeat_s:
            raise ValueError(f"the last rate begins at {times[-1]} s, when the rates are to begin anew")
        return self

    @classmethod
    def steady(cls, per_s: float, *, count: int = 4, pattern: Literal["even", "poisson"] = "even") -> "Producers":
        """Give producers with one rate for ever, in messages per second of all together."""
        return cls(count=count, rates=((0.0, per_s),), pattern=pattern)

    def rate_at(self, now: float) -> tuple[float, float]:
        """Give the rate at a second, and the second at which it changes (infinite: never)."""
        began = 0.0 if self.repeat_s is None else math.floor(now / self.repeat_s) * self.repeat_s
        place = bisect_right(self.rates, (now - began, math.inf)) - 1
        if place + 1 < len(self.rates):
            return self.rates[place][1], began + self.rates[place + 1][0]
        return self.rates[place][1], math.inf if self.repeat_s is None else began + self.repeat_s


class BackPressure(_Value):
    """Above the high-water mark producers are slowed in proportion to the room that is left; nothing is dropped."""

    #: As a fraction of the queue's capacity.
    high_water: float = Field(default=0.7, ge=0, lt=1)
    #: What a producer does about what it may not send now. wait: it slows down. shed: it lets go of it (counted as
    #: refused). retry: it got a 429 and comes again after 1, 2, 4 and 8 s, and lets go of it after that.
    caller: Literal["wait", "shed", "retry"] = "wait"


class Queue(_Value):
    """A first-in-first-out queue; retries come back to its end."""

    #: The most messages that may wait. None: no bound, and nothing is ever dropped or slowed.
    capacity: int | None = Field(default=300, ge=2)
    #: None: nobody is slowed, and a full queue drops what comes.
    back_pressure: BackPressure | None = BackPressure()


class Workers(_Value):
    """Consumers, all alike."""

    #: Work on one message, in seconds.
    service: Durations = Around(mean_s=1 / 6, spread=0.3)
    #: Messages worked on at the same time.
    concurrency: int = Field(default=1, ge=1)
    #: Messages held at the same time (unacknowledged), `concurrency` at least; those beyond it wait in the worker.
    prefetch: int = Field(default=1, ge=1)
    #: From being wanted to taking the first message, in seconds.
    start_up: Durations = Around(mean_s=2.5, spread=0.1)
    #: CPU a job uses while it runs, as a fraction of what a worker asked for: little where jobs wait for I/O.
    cpu_of_job: float = Field(default=0.08, ge=0)
    #: The most that may exist, those that finish their last message included. None: no bound.
    places: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _enough_prefetch(self) -> "Workers":
        if self.prefetch < self.concurrency:
            raise ValueError(f"prefetch ({self.prefetch}) is below concurrency ({self.concurrency})")
        return self


class Faults(_Value):
    """What goes wrong, as fractions of messages."""

    #: First tries that fail for a reason that passes (a downstream that wavers).
    transient: float = Field(default=0.0, ge=0, le=1)
    #: Later tries of these messages that fail again.
    transient_again: float = Field(default=0.15, ge=0, le=1)
    #: Messages that fail at every try.
    poison: float = Field(default=0.0, ge=0, le=1)
    #: How long a poison message hangs before it fails. None: as long as any other message.
    poison_hang: Durations | None = Around(mean_s=1.2)
    #: Messages that are known to be bad at the first try and are dead-lettered at once.
    rejected: float = Field(default=0.0, ge=0, le=1)


class Retries(_Value):
    """What happens to a message that failed."""

    #: Tries after the first; then the message is dead-lettered. None: for ever.
    count: int | None = Field(default=3, ge=0)
    #: Back-off before the second try, in seconds.
    initial_s: Seconds = 0.25
    #: Each back-off is so many times the one before.
    multiplier: float = Field(default=2.0, ge=1)
    #: No back-off is longer, in seconds.
    longest_s: Seconds = 1.0
    #: queue: it leaves its worker, and goes to the end of the queue after the back-off.
    #: worker: its worker keeps it and waits.
    where: Literal["queue", "worker"] = "queue"

    def back_off_s(self, failed: int) -> float:
        """Give the seconds to wait after the `failed`-th try (from 1) went wrong.

        >>> [Retries(longest_s=60).back_off_s(n) for n in (1, 2, 3)]
        [0.25, 0.5, 1.0]
        """
        # a poison message comes round for ever, and a large power would overflow
        return min(self.longest_s, self.initial_s * self.multiplier ** min(failed - 1, 60))


class Setting(_Value):
    """Everything a simulation runs by. Another one may take its place at any simulated moment (`Simulation.steer`)."""

    producers: Producers = Producers()
    queue: Queue = Queue()
    workers: Workers = Workers()
    scaling: Policy = Fixed()
    faults: Faults = Faults()
    retries: Retries = Retries()
