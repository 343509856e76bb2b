"""What is seen of the fleet: raw readings of the broker, and the look that is made of them for people."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from console.fleet.arrivals import Lag
from console.fleet.storm import Storm
from mq_common.management import NodeAlarm

Severity = Literal["warning", "critical"]


@dataclass(frozen=True, slots=True)
class QueueReading:
    """One queue as the broker tells it: messages, and counters since some time (None: the broker keeps none)."""

    ready: int = 0
    unacked: int = 0
    total: int = 0
    consumers: int = 0
    published: int | None = None
    delivered: int | None = None
    acked: int | None = None
    redelivered: int | None = None

    @property
    def stuck(self) -> int:
        """Messages that are neither ready nor unacknowledged: dead letters that their target does not take."""
        return max(0, self.total - self.ready - self.unacked)


@dataclass(frozen=True, slots=True)
class Reading:
    """The broker at one moment (Unix seconds): every queue by name, and which of them uploads reach."""

    at: float
    queues: Mapping[str, QueueReading]
    work_queues: frozenset[str]
    alarms: tuple[NodeAlarm, ...] = ()


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of a channel as the page shows them: how many can work, are on their way, and are to be."""

    ready: int
    starting: int
    failed: int
    wanted: int
    minimum: int
    maximum: int
    paused: bool
    held: bool
    scaled_by: str
    #: Name and reason of a failed one; empty when none has.
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ChannelLook:
    """One channel. Rates are messages a second; ``drain_s`` is infinite while the backlog grows, None when unknown."""

    name: str
    queue: str
    ready: int
    unacked: int
    total: int
    stuck: int
    consumers: int
    dead_letters: int
    published_rate: float
    delivered_rate: float
    acked_rate: float
    redelivered_rate: float
    lag: Lag
    drain_s: float | None
    storm: Storm
    #: None: nobody can tell.
    workers: Workers | None

    @property
    def working(self) -> int:
        """Workers that take messages: told by whoever runs them, else by the broker."""
        return self.workers.ready if self.workers is not None else self.consumers


@dataclass(frozen=True, slots=True)
class Concern:
    """Something to look at. ``since``: Unix seconds; ``values`` fill the sentence of this ``kind``."""

    kind: str
    severity: Severity
    channel: str
    since: float
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Source:
    """Whether a side of the fleet answers: since when it is so (Unix seconds), and why not."""

    answers: bool
    since: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FleetLook:
    """The whole fleet at one moment. ``at`` is when the channels were read; ``number`` grows by one with every look."""

    number: int
    at: float
    channels: tuple[ChannelLook, ...]
    warnings: tuple[Concern, ...]
    broker: Source
    control: Source
    control_kind: str

    def channel(self, name: str) -> ChannelLook | None:
        """Give the channel of this name."""
        return next((each for each in self.channels if each.name == name), None)
