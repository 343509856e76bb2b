"""Workers: they start, hold messages, work on them, fail, and end."""

from collections import deque
from collections.abc import Callable
from typing import Literal

from console.simulator.message import Message
from console.simulator.readings import WorkerView
from console.simulator.world import World

State = Literal["starting", "running", "stopping", "gone"]


class Worker:
    """One worker: up to `concurrency` jobs at a time, and prefetched messages behind them."""

    def __init__(self, world: World, place: int, *, changed: Callable[["Worker"], None]) -> None:
        """Make one that does not start yet; `changed` hears when it has credit again, takes messages, or is gone."""
        self.place = place
        self.state: State = "starting"
        self._world = world
        self._changed = changed
        self._begun: list[tuple[Message, float, float]] = []
        self._prefetched: deque[Message] = deque()
        self._started_at = world.now
        self._start_up_s = 0.0

    @property
    def held(self) -> int:
        """Messages it holds."""
        return len(self._begun) + len(self._prefetched)

    @property
    def has_credit(self) -> bool:
        """Whether it takes another message."""
        return self.state == "running" and self.held < self._world.setting.workers.prefetch

    def start(self, start_up_s: float) -> None:
        """Begin to start; it takes messages after so many seconds."""
        self._start_up_s = start_up_s
        self._world.book.workers.add(1, self._world.now)
        if start_up_s == 0:
            self._run()
            return
        self._world.after(start_up_s, self._run)

    def stop(self) -> list[Message]:
        """Take nothing new, finish what runs, then end; give back what was not begun."""
        given_back = list(self._prefetched)
        self._prefetched.clear()
        if self.state == "running":
            self._world.book.running.add(-1, self._world.now)
        self.state = "stopping"
        self._end_if_done()
        return given_back

    def hold(self, message: Message) -> None:
        """Take a message; work on it begins at once where a slot is free."""
        self._prefetched.append(message)
        self._begin()

    def view(self) -> WorkerView:
        """Give what is to be seen of it now."""
        now = self._world.now
        if self.state == "starting":
            return WorkerView(self.place, "starting", None, min(1.0, (now - self._started_at) / self._start_up_s))
        state = "stopping" if self.state == "stopping" else "busy" if self._begun else "idle"
        if not self._begun:
            return WorkerView(self.place, state, None, 0.0)
        message, since, until = next((job for job in self._begun if job[0].poison), self._begun[0])
        return WorkerView(self.place, state, message.kind, min(1.0, (now - since) / max(until - since, 1e-9)))

    def _run(self) -> None:
        if self.state == "starting":
            self.state = "running"
            self._world.book.running.add(1, self._world.now)
            self._changed(self)

    def _begin(self) -> None:
        while self._prefetched and len(self._begun) < self._world.setting.workers.concurrency:
            self._work(self._prefetched.popleft())

    def _work(self, message: Message) -> None:
        now = self._world.now
        # one that hangs waits for something: it costs no CPU
        message.cpu = 0.0 if message.poison else self._world.setting.workers.cpu_of_job
        self._begun.append((message, now, now + message.work_s))
        self._busy(message, 1)
        self._world.after(message.work_s, lambda: self._tried(message))

    def _busy(self, message: Message, change: int) -> None:
        book, now = self._world.book, self._world.now
        book.busy.add(change, now)
        if message.poison:
            book.poison.add(change, now)
        book.cpu.add(change * message.cpu, now)

    def _tried(self, message: Message) -> None:
        self._busy(message, -1)
        counts = self._world.book.counts
        failed = message.poison or message.rejected or message.fails
        if message.attempt == 2 and not message.poison:
            counts.second_tries += 1
            counts.second_tries_done += not failed
        if failed:
            self._failed(message)
            return
        counts.done += 1
        self._world.book.done.count(self._world.now)
        self._world.book.trace(self._world.now, "done", message, self.place)
        self._let_go(message)

    def _failed(self, message: Message) -> None:
        world, retries = self._world, self._world.setting.retries
        world.book.counts.failures += 1
        world.book.failed.count(world.now)
        if message.rejected or (retries.count is not None and message.attempt > retries.count):
            world.book.died(world.now, message)
            world.book.trace(world.now, "dead", message, self.place)
            self._let_go(message)
            return
        world.book.counts.retries += 1
        back_off_s = retries.back_off_s(message.attempt)
        world.fate.again(message, world.setting)
        if retries.where == "worker":
            world.after(back_off_s, lambda: self._try_again(message))
            return
        world.book.back_off += 1
        world.book.poison_back_off += message.poison
        world.book.trace(world.now, "failed", message, self.place)
        world.after(back_off_s, lambda: world.bring_again(message))
        self._let_go(message)

    def _try_again(self, message: Message) -> None:
        self._forget(message)
        self._work(message)

    def _forget(self, message: Message) -> None:
        self._begun = [job for job in self._begun if job[0] is not message]

    def _let_go(self, message: Message) -> None:
        self._forget(message)
        self._world.book.held -= 1
        self._begin()
        self._end_if_done()
        self._changed(self)

    def _end_if_done(self) -> None:
        if self.state == "stopping" and not self._begun:
            self.state = "gone"
            self._world.book.workers.add(-1, self._world.now)
            self._changed(self)
