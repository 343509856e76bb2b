"""Applies the scaling policy: looks, scales up at once, and down after a calm."""

from collections.abc import Generator
from contextlib import suppress
from typing import Any

from simpy import Event, Interrupt, Process

from console.simulator.fleet import Fleet
from console.simulator.policies import Load
from console.simulator.world import World
from local_fleet.scaling import CoolDown


class Scaler:
    """The autoscaler of a simulation."""

    def __init__(self, world: World, fleet: Fleet, first_look_s: float = 0.0) -> None:
        """`first_look_s`: when it looks for the first time, in simulated seconds: an autoscaler waits for nobody."""
        self._world = world
        self._fleet = fleet
        self._cooldown = CoolDown(0.0)
        self._cpu_area = 0.0
        self._worker_area = 0.0
        #: What the policy wanted, and the CPU it saw, when it last looked.
        self.wanted = 0
        self.cpu = 0.0
        self._first_look_s = first_look_s
        self._process: Process = world.env.process(self._run())

    def follow(self) -> None:
        """Look at once: the setting has changed."""
        self._process.interrupt()

    def _run(self) -> Generator[Event, Any, None]:
        if self._first_look_s > 0:
            with suppress(Interrupt):
                yield self._world.env.timeout(self._first_look_s)
        while True:
            self._look()
            try:
                yield self._world.env.timeout(self._world.setting.scaling.interval_s)
            except Interrupt:
                continue

    def _look(self) -> None:
        world, policy = self._world, self._world.setting.scaling
        workers = self._fleet.count("starting", "running")
        self._measure_cpu()
        self.wanted = policy.wanted(Load(len(world.queue), world.book.held, workers, self.cpu))
        self._cooldown.window_s = policy.cooldown_s
        self._fleet.scale(self._cooldown.settle(world.now, self.wanted, workers))

    def _measure_cpu(self) -> None:
        now, book = self._world.now, self._world.book
        cpu, workers = book.cpu.area(now), book.running.area(now)
        if workers > self._worker_area:
            self.cpu = (cpu - self._cpu_area) / (workers - self._worker_area)
        self._cpu_area, self._worker_area = cpu, workers
