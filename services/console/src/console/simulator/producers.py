"""Producers: they send at their rate, unless back-pressure slows them or sends them away."""

import math
import random
from collections.abc import Generator
from contextlib import suppress
from typing import Any

from simpy import Event, Interrupt, Process

from console.simulator.door import Door, places
from console.simulator.message import Message
from console.simulator.world import World

#: How often a slowed producer looks at the queue again, in simulated seconds.
_LOOK_S = 0.1

#: Waits of a caller that got a 429, in seconds; after the last it lets go.
_CALLER_WAITS_S = (1.0, 2.0, 4.0, 8.0)


class Producers:
    """All producers of a simulation. A change of the setting or a spike takes effect at the simulated moment."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._seed = seed
        self._door = Door()
        self._processes: list[Process] = []
        self._spike = (1.0, 0.0)
        self.follow()

    def follow(self) -> None:
        """Follow the setting as it is now."""
        for process in self._processes:
            if process.is_alive:
                process.interrupt()
        for index in range(len(self._processes), self._world.setting.producers.count):
            self._processes.append(self._world.env.process(self._produce(index)))

    def spike(self, factor: float, seconds: float) -> None:
        """Multiply the rate by `factor` for so many seconds from now."""
        self._spike = (factor, self._world.now + seconds)
        self.follow()

    def send_poison(self, count: int, over_s: float) -> None:
        """Send so many poison messages, from all producers in turn and evenly over some seconds."""
        for number in range(count):
            self._world.env.process(self._send_later(number, over_s * number / count))

    def rate(self) -> float:
        """Give what all of them want to send now, in messages per second."""
        return self._rate_until()[0]

    def throttle(self) -> float:
        """Give the share by which back-pressure slows or refuses now, 0 to 1."""
        return 1 - self._share()

    def _share(self) -> float:
        return self._door.share(self._world.setting.queue, len(self._world.queue))

    def _rate_until(self) -> tuple[float, float]:
        """Give the rate of all producers, and when it changes (infinite: never)."""
        now = self._world.now
        rate, until = self._world.setting.producers.rate_at(now)
        factor, ends = self._spike
        return (rate * factor, min(until, ends)) if now < ends else (rate, until)

    def _slows(self) -> bool:
        """Whether producers wait for back-pressure, instead of being refused."""
        pressure = self._world.setting.queue.back_pressure
        return pressure is not None and pressure.caller == "wait"

    def _produce(self, index: int) -> Generator[Event, Any, None]:
        chance = random.Random(f"{self._seed}:producer {index}")  # noqa: S311 - a simulation
        # even producers take turns instead of sending all at once
        need = (index + 1) / self._world.setting.producers.count
        while True:
            if self._world.setting.producers.pattern == "poisson":
                need = -math.log(1 - chance.random())
            while need > 0:
                need = yield from self._work_off(index, need)
            yield from self._send(index)
            need = 1.0

    def _work_off(self, index: int, need: float) -> Generator[Event, Any, float]:
        """Wait until `need` messages are due, or something changes; give what is left of them."""
        rate, until = self._rate_until()
        count = self._world.setting.producers.count
        mine = rate / count if index < count else 0.0
        share = self._share() if self._slows() else 1.0
        start = self._world.now
        due_s = need / (mine * share) if mine * share > 0 else math.inf
        wait_s = min(due_s, until - start, _LOOK_S if share < 1 and mine else math.inf)
        try:
            yield self._world.env.event() if wait_s == math.inf else self._world.env.timeout(wait_s)
        except Interrupt:
            wait_s = self._world.now - start
        self._slowed(mine, share, wait_s)
        return 0.0 if wait_s >= due_s else max(0.0, need - mine * share * wait_s)

    def _slowed(self, rate: float, share: float, seconds: float) -> None:
        if rate and share < 1:
            self._world.book.throttled_s += (1 - share) * seconds
            self._world.book.held_back += (1 - share) * seconds * rate

    def _send(self, index: int, *, poison: bool = False) -> Generator[Event, Any, None]:
        """Bring one message to the queue's door, and do what the door says."""
        world = self._world
        while self._slows() and not self._has_room():
            start = world.now
            with suppress(Interrupt):
                yield world.env.timeout(_LOOK_S)
            self._slowed(self.rate() / world.setting.producers.count, 0.0, world.now - start)
        self._knock(world.new_message(index, poison=poison))

    def _send_later(self, number: int, seconds: float) -> Generator[Event, Any, None]:
        yield self._world.env.timeout(seconds)
        yield from self._send(number % self._world.setting.producers.count, poison=True)

    def _has_room(self) -> bool:
        return self._world.queue.has_room(places(self._world.setting.queue))

    def _knock(self, message: Message) -> None:
        world = self._world
        pressure = world.setting.queue.back_pressure
        refusing = pressure is not None and pressure.caller != "wait"
        if refusing and (self._door.refuses(self._share()) or not self._has_room()):
            self._refused(message)
            return
        if self._has_room():
            world.admit(message)
            return
        world.book.counts.dropped += 1
        world.book.dropped.count(world.now)
        world.book.trace(world.now, "dropped", message, message.producer)

    def _refused(self, message: Message) -> None:
        world = self._world
        pressure = world.setting.queue.back_pressure
        again = pressure is not None and pressure.caller == "retry"
        world.book.counts.refusals += 1
        world.book.refused.count(world.now)
        world.book.trace(world.now, "refused", message, message.producer)
        if not again or message.calls == len(_CALLER_WAITS_S):
            world.book.counts.refused += 1
            return
        world.book.with_callers += 1
        world.after(_CALLER_WAITS_S[message.calls], lambda: self._called_again(message))
        message.calls += 1

    def _called_again(self, message: Message) -> None:
        self._world.book.with_callers -= 1
        self._knock(message)
