"""The job threads of a worker, beside the thread that talks to the broker."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import structlog

from mq_common import metrics
from mq_common._returns import Delivery
from mq_common._runner import JobRunner
from mq_common._usual_properties import are_usual
from mq_common.errors import InvalidEvent
from mq_common.events import MediaEvent
from mq_common.jobs import JobEnd
from mq_common.messages import event_of

log = structlog.get_logger()


#: Seconds between looks at a turn that another thread holds, should its end be missed.
TURN_POLL_S = 1.0


#: While more work waits, the I/O thread is woken at most once in so many seconds.
WAKE_INTERVAL_S = 0.002


class Finished(NamedTuple):
    """A delivery whose job has ended. ``lag_s``: age of the message at the job's start; ``seconds``: the job's time."""

    delivery: Delivery
    end: JobEnd
    lag_s: float
    seconds: float


class Crew:
    """``size`` threads that take deliveries, run the job and leave it to the I/O thread to tell the broker.

    ``wake`` is called, from a job thread, when finished ones wait.
    """

    def __init__(self, channel: str, size: int, runner: JobRunner, wake: Callable[[], None]) -> None:
        self._channel, self._runner, self._wake = channel, runner, wake
        self._todo: queue.SimpleQueue[Delivery | None] = queue.SimpleQueue()
        self._finished: deque[Finished] = deque()
        self._wake_pending = False
        self._last_wake = 0.0
        self._generation = 0
        self._turns = _Turns()
        self._open = 0
        self._open_lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"job-{number}", daemon=True) for number in range(size)
        ]
        metrics.RUNNING.labels(channel).set_function(lambda: float(len(self._turns)))
        metrics.OLDEST_SECONDS.labels(channel).set_function(self._turns.oldest_s)

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def add(self, deliveries: Sequence[Delivery]) -> None:
        """Hand over deliveries; idle threads take them in order."""
        with self._open_lock:
            self._open += len(deliveries)
        for delivery in deliveries:
            self._todo.put(delivery)

    def next_generation(self) -> int:
        """Begin a new channel: what waits from earlier ones is skipped, since the broker has taken it back.

        Jobs that run already go on. Gives the new channel's number.
        """
        self._generation += 1
        return self._generation

    def take_unstarted(self) -> list[Delivery]:
        """Take back what no thread has begun."""
        waiting: list[Delivery] = []
        while True:
            try:
                delivery = self._todo.get_nowait()
            except queue.Empty:
                return waiting
            if delivery is None:
                continue
            self._close_one()
            if delivery.generation == self._generation:
                waiting.append(delivery)

    def take_finished(self) -> Iterator[Finished]:
        """Give what has ended since the last look."""
        self._wake_pending = False
        while self._finished:
            yield self._finished.popleft()

    @property
    def idle(self) -> bool:
        """True when no delivery is with a job thread or waiting for one, and none waits to be settled."""
        return self._open == 0 and not self._finished

    @property
    def working(self) -> bool:
        """True while a job thread has a delivery or one waits for it."""
        return self._open > 0

    def dismiss(self) -> None:
        """Let the threads end after their current job."""
        for _ in self._threads:
            self._todo.put(None)

    def _work(self) -> None:
        while (delivery := self._todo.get()) is not None:
            if delivery.generation != self._generation:
                self._close_one()
                self._wake_if_due()
                continue
            # Visible as finished before it counts as closed, so that "idle" never hides one.
            self._finished.append(self._run(delivery))
            self._close_one()
            self._wake_if_due()

    def _wake_if_due(self) -> None:
        """Wake the I/O thread, but not for every one of many quick jobs: the two would fight over the interpreter.

        What is not announced here is settled with the next one, or at the latest at the loop's own next turn. It is
        always announced when nothing waits: the broker may be waiting for these very acks before it sends more.
        """
        if self._wake_pending or not self._finished:
            return
        now = time.monotonic()
        if self._todo.empty() or now - self._last_wake > WAKE_INTERVAL_S:
            self._last_wake = now
            self._wake_pending = True
            self._wake()

    def _close_one(self) -> None:
        with self._open_lock:
            self._open -= 1

    def _run(self, delivery: Delivery) -> Finished:
        lag, started, end = 0.0, time.monotonic(), JobEnd.REJECTED
        try:
            event = _event_of(delivery)
            lag = max(0.0, time.time() - event.uploaded_at.timestamp())
            self._turns.begin(event.event_id)
            try:
                end = self._runner.run(event, returns=delivery.returns)
            finally:
                self._turns.end(event.event_id)
        except InvalidEvent as error:
            self._log_refusal(delivery, error)
        except BaseException:
            log.exception("job_thread_failed", channel=self._channel)
        return Finished(delivery, end, lag, time.monotonic() - started)

    def _log_refusal(self, delivery: Delivery, error: InvalidEvent) -> None:
        log.error("message_rejected", channel=self._channel, message_id=delivery.message_id, reason=str(error))


def _event_of(delivery: Delivery) -> MediaEvent:
    if isinstance(delivery.header, bytes) and are_usual(delivery.header):
        return MediaEvent.from_body(delivery.body)
    if (properties := delivery.properties) is None:
        raise InvalidEvent("the message's properties can't be read")
    return event_of(properties, delivery.body)


class _Turns:
    """Lets one job an event run at a time: a redelivery after a lost connection may meet its own first run."""

    def __init__(self) -> None:
        #: When each began, in monotonic seconds: a list of its own, for turns are told apart by identity.
        self._running: dict[str, list[float]] = {}
        self._ended = threading.Condition()
        self._waiting = 0

    def __len__(self) -> int:
        """Count the jobs that run now."""
        return len(self._running)

    def oldest_s(self) -> float:
        """Give the seconds for which the oldest of them has run; 0 when none runs."""
        now = time.monotonic()
        return max((now - began for (began,) in list(self._running.values())), default=0.0)

    def begin(self, event_id: str) -> None:
        """Hold the event's turn; waits while another thread holds it."""
        mine = [time.monotonic()]
        if self._running.setdefault(event_id, mine) is mine:  # atomic, and nearly always free
            return
        with self._ended:
            self._waiting += 1
            while self._running.setdefault(event_id, mine) is not mine:
                self._ended.wait(TURN_POLL_S)
            self._waiting -= 1

    def end(self, event_id: str) -> None:
        """Give the turn to whoever waits for it."""
        del self._running[event_id]
        if self._waiting:
            with self._ended:
                self._ended.notify_all()
