"""What a viewer of the page can set: flat, bounded values, made into a setting of the engine."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from console.simulator.durations import Around
from console.simulator.model import BackPressure, Faults, Producers, Queue, Retries, Setting, Workers
from console.simulator.policies import Cpu, Fixed, Policy, QueueLength

CAPACITY = 300
SEATS = 12
PRODUCERS = 4

#: A gust: so many seconds with everything, and then a calm. The mean stays the rate that was set.
_GUST_S, _GUSTS_EVERY_S = 2.0, 5.0

#: CPU that a consumer uses while it works, by what the work is.
_CPU_OF_JOB = {"io": 0.08, "cpu": 0.95}


class Controls(BaseModel):
    """The switches and sliders of the page. Rates in messages per second, times in simulated seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate: float = Field(default=24, ge=0, le=150)
    pattern: Literal["even", "poisson", "gusts"] = "even"
    back_pressure: bool = True
    high_water: float = Field(default=0.7, ge=0.3, le=0.95)
    caller: Literal["wait", "shed", "retry"] = "wait"
    scaling: Literal["fixed", "keda", "cpu"] = "fixed"
    consumers: int = Field(default=6, ge=0, le=SEATS)
    minimum: int = Field(default=2, ge=1, le=SEATS)
    maximum: int = Field(default=SEATS, ge=1, le=SEATS)
    per_consumer: int = Field(default=15, ge=5, le=60)
    cooldown: float = Field(default=5, ge=0, le=20)
    start_up: float = Field(default=2.5, ge=0, le=10)
    work: Literal["io", "cpu"] = "io"
    speed: float = Field(default=6, ge=1, le=12, description="messages per second that one consumer takes")
    transient: float = Field(default=0, ge=0, le=0.6)
    poison: float = Field(default=0, ge=0, le=0.1)
    endless: bool = False
    retries: int = Field(default=3, ge=0, le=6)
    back_off: float = Field(default=0.25, ge=0, le=2)

    def setting(self) -> Setting:
        """Give the engine's setting."""
        return Setting(
            producers=self._producers(),
            queue=Queue(
                capacity=CAPACITY,
                back_pressure=BackPressure(high_water=self.high_water, caller=self.caller)
                if self.back_pressure
                else None,
            ),
            workers=Workers(
                service=Around(mean_s=1 / self.speed, spread=0.3),
                start_up=Around(mean_s=self.start_up, spread=0.1),
                cpu_of_job=_CPU_OF_JOB[self.work],
                places=SEATS,
            ),
            scaling=self._policy(),
            faults=Faults(transient=self.transient, poison=self.poison),
            retries=Retries(
                count=None if self.endless else self.retries,
                initial_s=self.back_off,
                longest_s=max(1.0, self.back_off) if self.endless else 60.0,
            ),
        )

    def _producers(self) -> Producers:
        if self.pattern == "gusts":
            gust = self.rate * _GUSTS_EVERY_S / _GUST_S
            return Producers(count=PRODUCERS, rates=((0.0, gust), (_GUST_S, 0.0)), repeat_s=_GUSTS_EVERY_S)
        return Producers.steady(self.rate, count=PRODUCERS, pattern=self.pattern)

    def _policy(self) -> Policy:
        fewest = min(self.minimum, self.maximum)
        if self.scaling == "keda":
            return QueueLength(
                per_worker=self.per_consumer, minimum=fewest, maximum=self.maximum, cooldown_s=self.cooldown
            )
        if self.scaling == "cpu":
            return Cpu(minimum=fewest, maximum=self.maximum, cooldown_s=self.cooldown)
        return Fixed(count=self.consumers)
