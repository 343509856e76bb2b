"""The worker loop: one thread talks to the broker, job threads work, acks follow the work."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pika
import structlog
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import AMQPError

from mq_common import metrics
from mq_common._acks import AckWindow
from mq_common._crew import Crew, Settlement
from mq_common._returns import Delivery, give_back
from mq_common._runner import JobRunner
from mq_common._traffic import Traffic
from mq_common.channels import ChannelSpec, channel_of, load_channels
from mq_common.connection import address, connect, reason_of, sleep_until
from mq_common.errors import BrokerUnreachable
from mq_common.health import HealthServer
from mq_common.jobs import ErrorKinds, ErrorTypes, Failure, Job, JobContext
from mq_common.logs import configure_logging
from mq_common.process import EXIT_STOPPED
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings, load_settings
from mq_common.topology import declare_channel

__all__ = ["Failure", "Job", "JobContext", "Worker", "run_worker"]

log = structlog.get_logger()

#: Seconds the loop waits for news before it looks at the stop flag again.
POLL_S = 0.5
#: Seconds without a turn of the loop after which the process counts as hung. A connect attempt may block for 20.
HUNG_AFTER_S = 60.0
#: A connection that lived so many seconds was a good one: the waits before reconnecting start anew.
STEADY_AFTER_S = 30.0
#: Seconds that cancelled jobs get to end their children once the grace time is over.
CANCEL_GRACE_S = 5.0


def run_worker(
    channel: str,
    build_job: Callable[[ChannelSpec], Job],
    *,
    permanent: ErrorTypes = (),
    transient: ErrorTypes = (),
    interrupted: ErrorTypes = (),
) -> int:
    """Run one channel's worker until SIGTERM or SIGINT; gives the exit code.

    ``permanent``, ``transient`` and ``interrupted`` say what the job's own error classes mean; mq_common's are known,
    and any other error counts as transient. Raises ConfigurationError, BrokerUnreachable (start limit) or
    TopologyMismatch, which ``mq_common.process.exit_code_of`` turns into exit codes.
    """
    broker, chosen, logs, settings = load_settings(
        BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings, owner=f"{channel.upper()}_"
    )
    configure_logging(channel, logs)
    spec = channel_of(load_channels(chosen.channels, chosen.profile), channel)
    kinds = ErrorKinds(permanent, transient, interrupted)
    worker = Worker(spec, build_job(spec), broker=broker, settings=settings, kinds=kinds)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    return worker.run()


class Worker:
    """Consumes one channel's queue. ``run`` blocks until ``stop`` is called (from a signal handler or a thread)."""

    def __init__(
        self, spec: ChannelSpec, job: Job, *, broker: BrokerSettings, settings: WorkerSettings, kinds: ErrorKinds
    ) -> None:
        self._spec, self._broker, self._settings = spec, broker, settings
        self._name = f"{spec.name}@{socket.gethostname()}:{os.getpid()}"
        self._stop_requested = False
        self._stopping, self._cancelled = threading.Event(), threading.Event()
        runner = JobRunner(
            spec, job, worker=self._name, kinds=kinds, stopping=self._stopping, cancelled=self._cancelled
        )
        self._crew = Crew(spec.name, spec.concurrency, runner, self._wake)
        self._connection: BlockingConnection | None = None
        self._consuming = False
        self._generation = 0
        self._last_turn = time.monotonic()
        self.traffic = Traffic(spec.name)
        self.health = HealthServer(settings.health_host, settings.health_port, live=self._live, ready=self._ready)

    def stop(self) -> None:
        """Ask the loop to finish. Only sets a flag: it is called from signal handlers."""
        self._stop_requested = True

    def run(self) -> int:
        """Consume until stopped; gives 0. Raises BrokerUnreachable when the first connect takes too long."""
        self.health.start()
        self._crew.start()
        backoff = Backoff(initial_s=0.1, max_s=5.0)
        limit: float | None = None  # the start limit holds for the first connect; later the worker waits for ever
        try:
            while not self._stop_requested:
                began = time.monotonic()
                try:
                    self._session(limit)
                except (AMQPError, OSError, BrokerUnreachable) as error:
                    if self._stop_requested:
                        break
                    if limit is None and isinstance(error, BrokerUnreachable):
                        raise
                    self._lost(error)
                    if time.monotonic() - began > STEADY_AFTER_S:
                        backoff.reset()
                    sleep_until(time.monotonic() + backoff.next(), self._turn)
                limit = float("inf")
        finally:
            self._crew.dismiss()
            self.health.close()
        log.info("worker_stopped", channel=self._spec.name)
        return EXIT_STOPPED

    # -- one connection's life ----------------------------------------------------------------------------------

    def _session(self, limit: float | None) -> None:
        connection = connect(self._broker, f"mediaflow {self._name}", limit_s=limit, stop=self._turn)
        self._connection = connection
        try:
            session = _Session(self, connection)
            session.subscribe()
            while not self._turn():
                session.turn(POLL_S)
                session.resubscribe_if_cancelled()
            self._finish(session)
        finally:
            self._consuming = False
            metrics.CONSUMING.labels(self._spec.name).set(0)
            self._connection = None
            with suppress(AMQPError, OSError):
                connection.close()

    def _finish(self, session: "_Session") -> None:
        """Stop in the order that costs no message an attempt: cancel, give back, finish, ack, close."""
        self._consuming = False
        self._stopping.set()
        session.cancel()
        session.return_unstarted()
        log.info("worker_draining", channel=self._spec.name, grace_s=self._settings.grace_s)
        session.settle_until_idle(time.monotonic() + self._settings.grace_s)
        if not self._crew.idle:
            log.warning("grace_time_over", channel=self._spec.name, tip="raise MEDIAFLOW_GRACE_S to let jobs finish")
            self._cancelled.set()
            session.settle_until_idle(time.monotonic() + CANCEL_GRACE_S)

    def _lost(self, error: BaseException) -> None:
        metrics.WORKER_RECONNECTS.labels(self._spec.name).inc()
        log.warning(
            "worker_connection_lost",
            channel=self._spec.name,
            broker=address(self._broker),
            reason=reason_of(error),
            tip="running jobs go on; their messages are delivered again and found to be done",
        )

    def _turn(self) -> bool:
        """Note that the loop lives; True when it should end."""
        self._last_turn = time.monotonic()
        return self._stop_requested

    def _wake(self) -> None:
        connection = self._connection
        if connection is not None:
            with suppress(AMQPError, OSError):  # lost just now: the next session settles or drops what waits
                connection.add_callback_threadsafe(lambda: None)

    def _live(self) -> str | None:
        silence = time.monotonic() - self._last_turn
        return None if silence < HUNG_AFTER_S else f"the loop has not turned for {silence:.0f} s"

    def _ready(self) -> str | None:
        if self._stop_requested:
            return "stopping"
        return None if self._consuming else "not subscribed to the queue"


class _Session:
    """One channel on one connection: its consumer, its outstanding tags."""

    def __init__(self, worker: Worker, connection: BlockingConnection) -> None:
        self._worker, self._connection = worker, connection
        self._spec, self._crew = worker._spec, worker._crew
        self._window = AckWindow()
        self._arrived: list[Delivery] = []
        self._traffic = worker.traffic
        self._cancelled_by_broker = False
        self._consumer_tag = ""
        worker._generation += 1
        self._generation = worker._generation
        self._crew.forget_older_than(self._generation)
        self._channel: BlockingChannel = connection.channel()
        self._channel.basic_qos(prefetch_count=self._spec.prefetch)
        self._channel.add_on_cancel_callback(self._on_cancelled)

    def subscribe(self) -> None:
        """Declare what is missing and start to consume."""
        declare_channel(self._connection, self._spec)
        self._consumer_tag = self._channel.basic_consume(self._spec.queue, self._on_message)
        self._worker._consuming = True
        metrics.CONSUMING.labels(self._spec.name).set(1)
        log.info("worker_consuming", channel=self._spec.name, queue=self._spec.queue, prefetch=self._spec.prefetch)

    def _on_message(self, _: BlockingChannel, method: Any, properties: pika.BasicProperties, body: bytes) -> None:
        self._window.deliver(method.delivery_tag)
        self._traffic.delivered(redelivered=method.redelivered)
        self._arrived.append(Delivery(self._generation, method.delivery_tag, method.redelivered, properties, body))

    def _on_cancelled(self, _: Any) -> None:
        self._cancelled_by_broker = True

    def resubscribe_if_cancelled(self) -> None:
        """Come back when the broker has cancelled the consumer (queue deleted, consumer time-out on 4.3).

        Without this the loop would go on, connected, alive and idle for ever. Tags on this channel stay valid.
        """
        if not self._cancelled_by_broker:
            return
        self._cancelled_by_broker = False
        self._worker._consuming = False
        metrics.CONSUMER_CANCELS.labels(self._spec.name).inc()
        log.error(
            "consumer_cancelled",
            channel=self._spec.name,
            queue=self._spec.queue,
            tip="was the queue deleted, or did a job run longer than the queue's x-consumer-timeout?",
        )
        self.subscribe()

    def turn(self, wait_s: float) -> None:
        """Wait for news from the broker or from the job threads, hand over what arrived and settle what is done."""
        self._connection.process_data_events(time_limit=wait_s)
        self._hand_over()
        self.settle()

    def _hand_over(self) -> None:
        # All of a turn's deliveries at once: a thread woken for each would wait for the interpreter most of the time.
        if self._arrived:
            self._crew.add(self._arrived)
            self._arrived = []

    def settle(self) -> None:
        """Tell the broker what the job threads have finished, in as few frames as possible."""
        returned: list[Delivery] = []
        for delivery, settlement in self._crew.take_settlements():
            self._traffic.settled(settlement.value)
            if settlement is Settlement.ACK:
                self._window.done(delivery.tag)
            elif settlement is Settlement.REJECT:
                self._channel.basic_reject(delivery.tag, requeue=False)
                self._window.settled(delivery.tag)
                self._traffic.framed()
            else:
                returned.append(delivery)
        for tag, multiple in self._window.take():
            self._channel.basic_ack(tag, multiple=multiple)
            self._traffic.framed()
        if returned:
            self._give_back(returned)
        self._traffic.flush()

    def cancel(self) -> None:
        """Cancel the consumer without giving back, and so without harming, what is already on its way here.

        Pika's own basic_cancel rejects with requeue every delivery that arrives before cancel-ok, and each of those
        would lose an attempt. So the frame is sent as it is; after one round trip on the same channel everything the
        broker had sent before it has arrived.
        """
        frame = pika.spec.Basic.Cancel(consumer_tag=self._consumer_tag, nowait=True)  # type: ignore[no-untyped-call]
        self._channel._impl._send_method(frame)
        self._channel.basic_qos(prefetch_count=self._spec.prefetch)
        self._connection.process_data_events(time_limit=0)
        self._hand_over()

    def return_unstarted(self) -> None:
        """Give back what no job thread has begun."""
        unstarted = self._crew.take_unstarted()
        if unstarted:
            self._traffic.settled(Settlement.GIVE_BACK.value, len(unstarted))
            self._give_back(unstarted)

    def settle_until_idle(self, deadline: float) -> None:
        """Wait for running jobs and settle them as they end, at most until ``deadline`` (monotonic seconds)."""
        while not self._crew.idle and time.monotonic() < deadline:
            self._worker._turn()
            self.turn(0.1)
        self.settle()

    def _give_back(self, deliveries: list[Delivery]) -> None:
        settled = give_back(self._connection, self._channel, self._spec.queue, deliveries)
        for delivery in settled:
            self._window.settled(delivery.tag)
            self._traffic.framed()
        log.info("messages_given_back", channel=self._spec.name, count=len(settled))
