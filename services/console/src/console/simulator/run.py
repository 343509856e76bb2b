"""One viewer's simulation: the engine, the seed, what is to happen by itself, and what the page gets of it."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

from console.simulator.controls import Controls
from console.simulator.frames import frame, thinned
from console.simulator.simulation import Simulation

Action = Literal["spike", "poison"]

SPIKE_FACTOR = 4.0
SPIKE_S = 5.0
POISON_MESSAGES = 6
#: They come one after the other: together they would hang together, and be away together.
POISON_S = 2.0

#: Poison messages that may go round in one simulation: twice what it takes to keep every consumer busy.
_MOST_POISON = 60


@dataclass(frozen=True, slots=True)
class Cue:
    """Something that happens by itself at a simulated second: an action, or controls that move."""

    at_s: float
    action: Action | None = None
    controls: Mapping[str, Any] | None = None


class Run:
    """A simulation that is advanced by requests. Thread-safe: one at a time."""

    def __init__(self, controls: Controls, *, seed: int, cues: Iterable[Cue] = ()) -> None:
        """Begin at second 0 with cues in the order of their time."""
        self.controls = controls
        self.seed = seed
        self._cues = sorted(cues, key=lambda cue: cue.at_s)
        self._simulation = Simulation(controls.setting(), seed=seed, trace=True)
        self._lock = Lock()
        #: When it was last asked for anything, by the monotonic clock.
        self.used_at = time.monotonic()

    @property
    def now(self) -> float:
        """Simulated seconds since the start."""
        return self._simulation.now

    def first(self) -> list[Any]:
        """Give the frame of this moment."""
        with self._lock:
            return frame(self._simulation)

    def advance(
        self, seconds: float, frames: int, *, controls: Controls | None = None, actions: Iterable[Action] = ()
    ) -> dict[str, Any]:
        """Change what is to be changed, go on for so many simulated seconds, and give that many frames of them.

        ``controls`` in the answer are set where a cue moved them.
        """
        with self._lock:
            self.used_at = time.monotonic()
            if controls is not None and controls != self.controls:
                self._steer(controls)
            for action in actions:
                self._act(action)
            start, before = self._simulation.now, self.controls
            seen = [self._frame_at(start + seconds * (index + 1) / frames) for index in range(frames)]
            steps = thinned(self._simulation.steps(), seconds / frames)
            moved = self.controls.model_dump() if self.controls is not before else None
            return {"frames": seen, "steps": steps, "controls": moved, "dead_letters": self._dead_letters()}

    def _dead_letters(self) -> list[list[Any]]:
        return [
            [each.number, each.kind, each.tries, round(each.made_at_s, 1), round(each.died_at_s, 1)]
            for each in self._simulation.dead_letters()
        ]

    def _frame_at(self, time_s: float) -> list[Any]:
        while self._cues and self._cues[0].at_s <= time_s:
            cue = self._cues.pop(0)
            self._simulation.run_until(cue.at_s)
            if cue.controls is not None:
                self._steer(self.controls.model_copy(update=dict(cue.controls)))
            if cue.action is not None:
                self._act(cue.action)
        self._simulation.run_until(time_s)
        return frame(self._simulation)

    def _steer(self, controls: Controls) -> None:
        self.controls = controls
        self._simulation.steer(controls.setting())

    def _act(self, action: Action) -> None:
        if action == "spike":
            self._simulation.spike(SPIKE_FACTOR, SPIKE_S)
        elif self._simulation.poison_about() + POISON_MESSAGES <= _MOST_POISON:
            self._simulation.send_poison(POISON_MESSAGES, over_s=POISON_S)
