"""Readings, looks and controls made up for tests of the console's fleet page."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from console.control.fleet_control import (
    ChannelWorkers,
    ControlError,
    FleetView,
    ReplayRequest,
    ReplayRun,
    WorkerReading,
    WorkerView,
)
from console.fleet.arrivals import Lag
from console.fleet.looks import ChannelLook, FleetLook, QueueReading, Reading, Source, Workers
from console.fleet.storm import Storm

_WORKERS = Workers(
    ready=2, starting=0, failed=0, wanted=2, minimum=2, maximum=8, paused=False, held=False, scaled_by="hand"
)
_CHANNEL = ChannelLook(
    name="transcode",
    queue="media.transcode",
    ready=0,
    unacked=0,
    total=0,
    stuck=0,
    consumers=2,
    dead_letters=0,
    published_rate=0.0,
    delivered_rate=0.0,
    acked_rate=0.0,
    redelivered_rate=0.0,
    lag=Lag(0.0),
    drain_s=0.0,
    storm=Storm.NONE,
    workers=_WORKERS,
)


def workers(**values: Any) -> Workers:
    return replace(_WORKERS, **values)


def channel(**values: Any) -> ChannelLook:
    return replace(_CHANNEL, **values)


def look(number: int = 1, at: float = 1000.0, *channels: ChannelLook, broker: bool = True) -> FleetLook:
    source = Source(broker, at, "" if broker else "gone")
    return FleetLook(number, at, channels or (channel(),), (), source, Source(True, at), "local")


def reading(at: float, *bound: str, **queues: QueueReading) -> Reading:
    """Queues by channel name, ``_dlq`` behind it for the dead-letter queue; ``bound``: channels uploads reach."""
    named = {
        f"media.{name.removesuffix('_dlq')}{'.dlq' * name.endswith('_dlq')}": each for name, each in queues.items()
    }
    return Reading(at, named, frozenset(f"media.{name}" for name in bound))


def crew(name: str, *states: str, **values: Any) -> ChannelWorkers:
    views = tuple(
        WorkerView(f"{name}-{n}", state, None, None, 0, None, None)  # type: ignore[arg-type]
        for n, state in enumerate(states, start=1)
    )
    defaults = {"wanted": len(states), "minimum": 1, "maximum": 8, "paused": False, "scaled_by": "hand"}
    return ChannelWorkers(name, views, **(defaults | values))


class StubControl:
    """Remembers what it was asked, and fails with what it is given."""

    kind: Literal["local", "kubernetes", "none"] = "local"

    def __init__(self, *crews: ChannelWorkers) -> None:
        self.view = FleetView({each.name: each for each in crews})
        self.asked: list[tuple[Any, ...]] = []
        self.failure: ControlError | None = None

    def fleet(self) -> FleetView:
        return self.view

    def learn(self, readings: Mapping[str, WorkerReading]) -> None:
        self._ask("learn", readings)

    def pause(self, channel: str | None) -> None:
        self._ask("pause", channel)

    def resume(self, channel: str | None) -> None:
        self._ask("resume", channel)

    def scale(self, channel: str, count: int) -> None:
        self._ask("scale", channel, count)

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        raise NotImplementedError

    def replays(self) -> tuple[ReplayRun, ...]:
        return ()

    def replay(self, run_id: str) -> ReplayRun:
        raise NotImplementedError

    def stop_replay(self, run_id: str) -> None:
        raise NotImplementedError

    def _ask(self, *what: Any) -> None:
        self.asked.append(what)
        if self.failure is not None:
            raise self.failure
