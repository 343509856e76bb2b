"""All workers: who exists, and who gets the next message."""

import random
from collections import deque

from console.simulator.door import places
from console.simulator.readings import WorkerView
from console.simulator.workers import Worker
from console.simulator.world import World


class Fleet:
    """Hands messages to workers in turn, as the broker does, and keeps as many workers as are wanted."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._chance = random.Random(f"{seed}:start-up")  # noqa: S311 - a simulation
        self._workers: list[Worker] = []
        #: Those that have credit, the next to be served first.
        self._turn: deque[Worker] = deque()
        world.arrived = self.hand_out

    def scale(self, count: int, *, at_once: bool = False) -> None:
        """Start or stop workers until `count` run or start; the newest go first, `at_once` needs no start-up time."""
        living = [worker for worker in self._workers if worker.state in ("starting", "running")]
        for worker in sorted(living, key=_last_in)[: max(0, len(living) - count)]:
            self._stop(worker)
        most = self._world.setting.workers.places
        new = count - len(living)
        if most is not None:
            new = min(new, most - len(self._workers))
        for _ in range(new):
            self._start(at_once=at_once)

    def hand_out(self) -> None:
        """Give waiting messages to workers that take them."""
        world = self._world
        queue = world.queue
        while queue and self._turn:
            worker = self._turn.popleft()
            if not worker.has_credit:
                continue
            message, back = queue.take(world.now, places(world.setting.queue))
            world.book.held += 1
            world.book.waited(world.now - message.since)
            world.book.trace(world.now, "taken", message, worker.place)
            if back is not None:
                world.came_back(back)
            worker.hold(message)
            if worker.has_credit:
                self._turn.append(worker)

    def follow(self) -> None:
        """Follow the setting as it is now: a longer prefetch is credit."""
        for worker in self._workers:
            self._changed(worker)

    def count(self, *states: str) -> int:
        """Give how many workers are in one of these states."""
        return sum(worker.state in states for worker in self._workers)

    def views(self) -> tuple[WorkerView, ...]:
        """Give all workers, by seat."""
        return tuple(worker.view() for worker in sorted(self._workers, key=lambda worker: worker.place))

    def _start(self, *, at_once: bool) -> None:
        taken = {worker.place for worker in self._workers}
        place = next(place for place in range(len(taken) + 1) if place not in taken)
        worker = Worker(self._world, place, changed=self._changed)
        self._workers.append(worker)
        draw = self._chance.random()
        worker.start(0.0 if at_once else self._world.setting.workers.start_up.at(draw))

    def _stop(self, worker: Worker) -> None:
        for message in reversed(worker.stop()):
            self._world.book.held -= 1
            self._world.queue.put_back(message)
            self._world.book.trace(self._world.now, "returned", message, worker.place)
        self.hand_out()

    def _changed(self, worker: Worker) -> None:
        if worker.state == "gone":
            self._workers = [other for other in self._workers if other is not worker]
        elif worker.has_credit and worker not in self._turn:
            self._turn.append(worker)
        self.hand_out()


def _last_in(worker: Worker) -> tuple[bool, float]:
    """Order in which workers are stopped: those that still start, then the newest."""
    return worker.state != "starting", -worker.place
