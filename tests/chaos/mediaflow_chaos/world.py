"""All that a run consists of: a broker, wires to it, and the fleet behind the wires."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from mediaflow_chaos.cluster import Cluster
from mediaflow_chaos.fleet import Fleet
from mediaflow_chaos.node import SingleNode
from mediaflow_chaos.wires import Wires


class Broker(Protocol):
    """Where the queues are."""

    amqp_url: str

    @property
    def management_url(self) -> str:
        """Base address of its management API, with user and password."""
        ...

    @property
    def vhost(self) -> str:
        """The virtual host's name."""
        ...


@dataclass(frozen=True, slots=True)
class Deletion:
    """A queue that an operator deleted. Seconds of `time.time`; between them there may have been no queue."""

    channel: str
    since: float
    until: float
    #: Assets whose messages went with it.
    taken: frozenset[str]
    #: Further messages that went with it, by the broker's own answer.
    left: int


@dataclass
class World:
    """What faults work on."""

    broker: Broker
    fleet: Fleet
    ingest_wire: Wires
    worker_wire: Wires
    deletions: list[Deletion] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    #: Set when the run is to end: faults that last stop lasting.
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def cluster(self) -> Cluster:
        """The cluster, where the broker is one of ours."""
        assert isinstance(self.broker, Cluster)
        return self.broker

    @property
    def node(self) -> SingleNode:
        """The node, where the broker is one of ours."""
        assert isinstance(self.broker, SingleNode)
        return self.broker

    def last(self, seconds: float) -> None:
        """Let a fault last."""
        self.over.wait(seconds)

    def heal(self) -> None:
        """Let every connection through again."""
        self.ingest_wire.mend()
        self.worker_wire.mend()


@contextmanager
def world_around(broker: Broker, folder: Path, *, wired: bool = True, **fleet_options: object) -> Iterator[World]:
    """Start a fleet on the broker; everything ends with the block, except the broker.

    ``wired=False``: the fleet has the nodes' own addresses; then only the network's links can be cut.
    """
    ingest_wire, worker_wire = (Wires(broker.amqp_url, relayed=wired) for _ in range(2))
    fleet = Fleet(folder, ingest_wire.amqp_url, worker_wire.amqp_url, **fleet_options)  # type: ignore[arg-type]
    world = World(broker, fleet, ingest_wire, worker_wire)
    try:
        fleet.start()
        yield world
    finally:
        world.heal()
        fleet.end()
        ingest_wire.close()
        worker_wire.close()


def now() -> float:
    """Wall time in seconds, as the books have it."""
    return time.time()
