"""Makes looks of readings: the memory of all channels in one place. Pure: the caller brings readings and the time."""

from collections.abc import Mapping
from typing import Any

from console.control.fleet_control import ChannelWorkers, FleetView
from console.fleet.arrivals import Arrivals
from console.fleet.channel_watch import ChannelWatch, channel_of, dead_letter_queue, in_order
from console.fleet.concerns import Concerns
from console.fleet.looks import ChannelLook, FleetLook, QueueReading, Reading, Source, Workers

#: A queue that the broker does not know (yet).
_EMPTY = QueueReading()


class FleetWatch:
    """Everything that is remembered between two looks."""

    def __init__(self, now: float) -> None:
        self._channels: dict[str, ChannelWatch] = {}
        self._restored: dict[str, Arrivals] = {}
        self._concerns = Concerns()
        self._last: tuple[ChannelLook, ...] = ()
        self._number = 0
        self._broker = Source(False, now, "not asked yet")
        self._control = Source(False, now, "not asked yet")

    def take(
        self,
        now: float,
        reading: Reading | str,
        view: FleetView | str,
        *,
        declared: Mapping[str, str],
        control_kind: str,
    ) -> FleetLook:
        """Take what the broker and whoever runs the workers told, each a text when they did not answer.

        ``declared``: queue by name of the channels in the channels file, in its order.
        """
        self._number += 1
        self._broker = _source(self._broker, now, reading)
        self._control = _source(self._control, now, view)
        if isinstance(reading, Reading):
            self._last = self._look(now, reading, view, declared)
        alarms = reading.alarms if isinstance(reading, Reading) else ()
        concerns = self._concerns.look(now, self._last, alarms) if isinstance(reading, Reading) else ()
        return FleetLook(self._number, now, self._last, concerns, self._broker, self._control, control_kind)

    def _look(
        self, now: float, reading: Reading, view: FleetView | str, declared: Mapping[str, str]
    ) -> tuple[ChannelLook, ...]:
        workers = view.channels if isinstance(view, FleetView) else {}
        queues = dict(declared) | {channel_of(queue): queue for queue in sorted(reading.work_queues)}
        queues |= {name: f"media.{name}" for name in workers if name not in queues}
        looks = []
        for name in in_order(queues, tuple(declared)):
            queue = queues[name]
            watch = self._channels.get(name) or self._begin(name, queue)
            work = reading.queues.get(queue, _EMPTY)
            dead = reading.queues.get(dead_letter_queue(queue), _EMPTY)
            looks.append(watch.take(now, work, dead, _workers(workers.get(name))))
        return tuple(looks)

    def _begin(self, name: str, queue: str) -> ChannelWatch:
        self._channels[name] = ChannelWatch(name, queue, self._restored.pop(name, None))
        return self._channels[name]

    def state(self) -> dict[str, Any]:
        """Give what is needed to know ages after a restart, as JSON values."""
        return {name: watch.arrivals.state() for name, watch in self._channels.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from ``state()``. Raises KeyError, TypeError, ValueError for anything else."""
        self._restored = {str(name): Arrivals.restore(each) for name, each in state.items()}


def _source(before: Source, now: float, answer: object) -> Source:
    answers, reason = not isinstance(answer, str), answer if isinstance(answer, str) else ""
    return Source(answers, before.since if before.answers == answers else now, reason)


def _workers(seen: ChannelWorkers | None) -> Workers | None:
    if seen is None:
        return None
    states = [worker.state for worker in seen.workers]
    failed = [f"{worker.name}: {worker.reason}" for worker in seen.workers if worker.state == "failed"]
    return Workers(
        ready=states.count("ready"),
        starting=states.count("starting") + states.count("waiting"),
        failed=states.count("failed"),
        wanted=seen.wanted,
        minimum=seen.minimum,
        maximum=seen.maximum,
        paused=seen.paused,
        held=seen.held,
        scaled_by=seen.scaled_by,
        trouble=failed[0] if failed else "",
    )
