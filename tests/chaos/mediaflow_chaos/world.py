"""All that a run consists of: a broker, wires to it, and the fleet behind the wires."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from local_fleet.identity import ProcessIdentity
from mediaflow_chaos.fleet import Fleet
from mediaflow_chaos.node import SingleNode
from wire import Wire


class Broker(Protocol):
    """Where the queues are."""

    amqp_url: str
    management_url: str

    @property
    def vhost(self) -> str:
        """The virtual host's name."""
        ...


@dataclass(frozen=True, slots=True)
class Deletion:
    """A queue that an operator deleted. Seconds of `time.time`; what was sent before ``until`` may have been in it."""

    channel: str
    since: float
    until: float


@dataclass
class World:
    """What faults work on."""

    broker: Broker
    fleet: Fleet
    ingest_wire: Wire
    worker_wire: Wire
    deletions: list[Deletion] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    #: Set when the run is to end: faults that last stop lasting.
    over: threading.Event = field(default_factory=threading.Event)

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


def by_way_of(amqp_url: str, wire: Wire) -> str:
    """Give the address that leads through the wire."""
    parts = urlsplit(amqp_url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{login}@127.0.0.1:{wire.port}").geturl()


@contextmanager
def world_around(broker: Broker, folder: Path, **fleet_options: object) -> Iterator[World]:
    """Start a fleet on the broker; everything ends with the block, except the broker."""
    parts = urlsplit(broker.amqp_url)
    target = (str(parts.hostname), parts.port or 5672)
    ingest_wire, worker_wire = Wire(*target), Wire(*target)
    fleet = Fleet(
        folder,
        by_way_of(broker.amqp_url, ingest_wire),
        by_way_of(broker.amqp_url, worker_wire),
        **fleet_options,  # type: ignore[arg-type]
    )
    world = World(broker, fleet, ingest_wire, worker_wire)
    try:
        fleet.start()
        yield world
    finally:
        world.heal()
        fleet.end()
        ingest_wire.close()
        worker_wire.close()


def stopped_for(world: World, process: ProcessIdentity | None, seconds: float, resume: Callable[[], object]) -> None:
    """Let a stopped process stay so, and go on."""
    try:
        world.last(seconds)
    finally:
        if process is not None:
            resume()


def now() -> float:
    """Wall time in seconds, as the books have it."""
    return time.time()
