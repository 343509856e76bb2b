"""Who decides how many workers run: by hand, by the length of the queue (KEDA's rule), or by CPU.

A policy sees a `Load` and says what it wants; it keeps no memory. Patience on the way down is the scaler's.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from console.simulator.durations import Seconds
from local_fleet.scaling import wanted_workers


@dataclass(frozen=True, slots=True)
class Load:
    """What a policy may look at."""

    ready: int
    """Messages that wait in the queue."""
    unacked: int
    """Messages that workers hold."""
    workers: int
    """Workers that run or start."""
    cpu: float
    """CPU the running workers used since the last look, as a fraction of what they asked for (0.1 is 10 %)."""


class _Policy(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    #: How often it looks, in simulated seconds.
    interval_s: float = Field(default=0.5, gt=0)
    #: Scale-down (stabilisation): only to the highest number wanted within so many seconds. Scale-up never waits.
    cooldown_s: Seconds = 0.0


class Fixed(_Policy):
    """As many workers as somebody said."""

    kind: Literal["fixed"] = "fixed"
    count: int = Field(default=6, ge=0)

    def wanted(self, load: Load) -> int:
        """Give the number of workers to run."""
        return self.count


class _Bounded(_Policy):
    minimum: int = Field(default=1, ge=0)
    maximum: int = Field(default=12, ge=0)
    #: A number of workers is kept while what was measured is within this fraction of the target (the HPA's own is 0.1).
    tolerance: float = Field(default=0.0, ge=0, lt=1)

    @model_validator(mode="after")
    def _ordered(self) -> "_Bounded":
        if self.minimum > self.maximum:
            raise ValueError(f"minimum ({self.minimum}) is above maximum ({self.maximum})")
        return self

    def _tolerates(self, load: Load, ratio: float) -> bool:
        within = self.minimum <= load.workers <= self.maximum
        return within and abs(ratio - 1) <= self.tolerance


class QueueLength(_Bounded):
    """KEDA's rule: ⌈(waiting + in process) / per_worker⌉, between minimum and maximum."""

    kind: Literal["queue_length"] = "queue_length"
    per_worker: int = Field(default=15, ge=1)
    cooldown_s: Seconds = 5.0

    def wanted(self, load: Load) -> int:
        """Give the number of workers to run."""
        if self.tolerance and load.workers:
            ratio = (load.ready + load.unacked) / (self.per_worker * load.workers)
            if self._tolerates(load, ratio):
                return load.workers
        return wanted_workers(
            load.ready, load.unacked, per_worker=self.per_worker, fewest=self.minimum, most=self.maximum
        )


class Cpu(_Bounded):
    """The horizontal autoscaler's usual rule: ⌈workers × CPU used / CPU aimed at⌉."""

    kind: Literal["cpu"] = "cpu"
    #: CPU aimed at, as a fraction of what a worker asked for.
    target: float = Field(default=0.5, gt=0, le=1)
    cooldown_s: Seconds = 5.0
    tolerance: float = Field(default=0.1, ge=0, lt=1)

    def wanted(self, load: Load) -> int:
        """Give the number of workers to run."""
        ratio = load.cpu / self.target
        if self._tolerates(load, ratio):
            return load.workers
        # a hair off, since tenths don't multiply to whole numbers
        count = math.ceil(load.workers * ratio - 1e-9)
        return min(self.maximum, max(self.minimum, count))


Policy = Annotated[Fixed | QueueLength | Cpu, Field(discriminator="kind")]
