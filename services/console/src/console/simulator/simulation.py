"""A simulation: made from a setting and a seed, stepped by its owner, steered while it runs.

>>> from console.simulator.model import Producers, Setting
>>> simulation = Simulation(Setting(producers=Producers.steady(24)), seed=7)
>>> simulation.run_until(10)
>>> simulation.read().depth < 5
True
"""

from dataclasses import replace

from simpy import Environment

from console.simulator.book import Book
from console.simulator.fleet import Fleet
from console.simulator.message import Fate
from console.simulator.model import Setting
from console.simulator.policies import Fixed
from console.simulator.producers import Producers
from console.simulator.readings import DeadLetter, Readings, WorkerView
from console.simulator.scaler import Scaler
from console.simulator.trace import Step
from console.simulator.world import World


class Simulation:
    """One run. The same setting, seed and steering at the same moments give the same run, however it is stepped."""

    def __init__(
        self,
        setting: Setting,
        *,
        seed: int = 1,
        backlog: int = 0,
        backlog_age_s: float = 0.0,
        workers: int | None = None,
        first_look_s: float = 0.0,
        trace: bool = False,
    ) -> None:
        """Begin at second 0.

        `backlog` messages wait already, the oldest for `backlog_age_s`, the others evenly less; `workers` run already
        (None: as many as a fixed policy says, or the policy's minimum, but one at least). The policy looks for the
        first time at `first_look_s`. With `trace`, the steps of single messages are kept until `steps` takes them.
        Raises ValueError for a backlog that the queue can't hold.
        """
        capacity = setting.queue.capacity
        if capacity is not None and backlog > capacity:
            raise ValueError(f"a backlog of {backlog} does not fit a queue of {capacity}")
        self._world = World(Environment(), setting, Book(trace=trace), Fate(seed))
        self._fleet = Fleet(self._world, seed)
        for place in range(backlog):
            message = self._world.new_message(-1)
            self._world.admit(message)
            message.since = -backlog_age_s * (1 - place / backlog)
        self._fleet.scale(_at_start(setting) if workers is None else workers, at_once=True)
        self._scaler = Scaler(self._world, self._fleet, first_look_s)
        self._producers = Producers(self._world, seed)

    @property
    def now(self) -> float:
        """Simulated seconds since the start."""
        return self._world.now

    @property
    def setting(self) -> Setting:
        """The setting it runs by now."""
        return self._world.setting

    def run_until(self, time_s: float) -> None:
        """Go on to that simulated second; does nothing when it is there already."""
        if time_s > self._world.now:
            self._world.env.run(until=float(time_s))

    def steer(self, setting: Setting) -> None:
        """Run by another setting from this simulated moment on; messages keep what they were made with."""
        self._world.setting = setting
        self._fleet.follow()
        self._producers.follow()
        self._scaler.follow()

    def spike(self, factor: float = 4.0, seconds: float = 5.0) -> None:
        """Multiply the producers' rate from now on for so many simulated seconds."""
        self._producers.spike(factor, seconds)

    def send_poison(self, count: int, *, over_s: float = 0.0) -> None:
        """Let producers send so many poison messages over the next seconds, on top of what they send."""
        self._producers.send_poison(count, over_s)

    def steps(self) -> list[Step]:
        """Give what happened to single messages since the last call, in order (empty without `trace`)."""
        return self._world.book.tear_out()

    def workers(self) -> tuple[WorkerView, ...]:
        """Give all workers, by seat."""
        return self._fleet.views()

    def marked(self) -> tuple[tuple[int, str], ...]:
        """Give (places behind the queue's head, kind) of all waiting messages that are not plain."""
        return self._world.queue.marked()

    def dead_letters(self) -> tuple[DeadLetter, ...]:
        """Give the latest dead letters, the oldest of them first."""
        return tuple(self._world.book.dead_letters)

    def poison_about(self) -> int:
        """Give how many poison messages there are: waiting, in process or in back-off."""
        return self._world.book.poison_about

    def read(self) -> Readings:
        """Give all readings of this moment; reading changes nothing."""
        world, book, fleet, now = self._world, self._world.book, self._fleet, self._world.now
        oldest = world.queue.oldest_since()
        lag = 0.0 if oldest is None else now - oldest
        return Readings(
            time_s=now,
            depth=len(world.queue),
            in_process=book.held,
            back_off=book.back_off,
            poison_back_off=book.poison_back_off,
            with_callers=book.with_callers,
            lag_s=lag,
            offered_per_s=self._producers.rate(),
            in_per_s=book.entered.per_s(now),
            out_per_s=book.done.per_s(now),
            failed_per_s=book.failed.per_s(now),
            dropped_per_s=book.dropped.per_s(now),
            refused_per_s=book.refused.per_s(now),
            throttle=self._producers.throttle(),
            throttled_s=book.throttled_s,
            held_back=book.held_back,
            wanted=self._scaler.wanted,
            starting=fleet.count("starting"),
            running=fleet.count("running"),
            stopping=fleet.count("stopping"),
            busy=int(book.busy.value),
            busy_on_poison=int(book.poison.value),
            cpu=self._scaler.cpu,
            deepest=world.queue.deepest,
            longest_lag_s=max(lag, book.longest_wait_s),
            waited_s=book.waited_s / book.waits if book.waits else 0.0,
            worker_s=book.workers.area(now),
            busy_s=book.busy.area(now),
            poison_s=book.poison.area(now),
            counts=replace(book.counts),
        )


def _at_start(setting: Setting) -> int:
    policy = setting.scaling
    return policy.count if isinstance(policy, Fixed) else max(1, policy.minimum)
