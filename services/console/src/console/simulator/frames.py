"""Moments of a simulation as the page draws them: short lists, since there are twenty a second."""

from typing import Any

from console.simulator.readings import Readings
from console.simulator.simulation import Simulation
from console.simulator.trace import Step

#: The numbers at the beginning of a frame, in this order; behind them are the workers and the marked messages.
FIELDS = (
    "time_s",
    "depth",
    "in_process",
    "back_off",
    "poison_back_off",
    "with_callers",
    "lag_s",
    "offered_per_s",
    "in_per_s",
    "out_per_s",
    "failed_per_s",
    "dropped_per_s",
    "refused_per_s",
    "throttle",
    "throttled_s",
    "held_back",
    "wanted",
    "starting",
    "running",
    "stopping",
    "busy",
    "busy_on_poison",
    "cpu",
    "waited_s",
    "worker_s",
    "busy_s",
    "poison_s",
    "produced",
    "admitted",
    "dropped",
    "refused",
    "done",
    "dead",
    "failures",
    "retries",
    "second_tries",
    "second_tries_done",
)

#: A message's kind and a worker's state as the page knows them: by their place in these lists.
KINDS = ("plain", "retry", "poison")
STATES = ("starting", "idle", "busy", "stopping")

#: Messages drawn on their way for each frame; of more, every second, third … is drawn. Those that are not plain always
#: are, up to as many again: they are what there is to see.
_DRAWN = 6


def frame(simulation: Simulation) -> list[Any]:
    """Give numbers (in the order of `FIELDS`), workers (seat, state, kind or -1, progress), marked (place, kind)."""
    read = simulation.read()
    workers = [
        [
            each.place,
            STATES.index(each.state),
            -1 if each.kind is None else KINDS.index(each.kind),
            _short(each.progress),
        ]
        for each in simulation.workers()
    ]
    marked = [[place, KINDS.index(kind)] for place, kind in simulation.marked()]
    return [[_short(_value(read, name)) for name in FIELDS], workers, marked]


def thinned(steps: list[Step], frame_s: float) -> list[list[Any]]:
    """Give the steps of the messages that the page draws on their way, in order: [second, what, number, seat, kind]."""
    if not steps:
        return []
    frames = max(1.0, (steps[-1].time_s - steps[0].time_s) / frame_s)
    plain, special = (sum((step.kind == "plain") == is_plain for step in steps) for is_plain in (True, False))
    every = {"plain": _every(plain, frames), "retry": _every(special, frames), "poison": _every(special, frames)}
    return [
        [_short(step.time_s), step.what, step.number, step.place, KINDS.index(step.kind)]
        for step in steps
        if step.number % every[step.kind] == 0
    ]


def _every(steps: int, frames: float) -> int:
    return max(1, round(steps / (_DRAWN * frames)))


def _value(read: Readings, name: str) -> float:
    return float(getattr(read, name) if hasattr(read, name) else getattr(read.counts, name))


def _short(value: float) -> float | int:
    """Give three decimals at most, and whole numbers without any."""
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded
