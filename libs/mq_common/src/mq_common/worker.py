"""The worker loop: one thread talks to the broker, job threads work, acks follow the work."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.exceptions import AMQPError

from mq_common import metrics
from mq_common._crew import Crew
from mq_common._runner import JobRunner
from mq_common._session import Session
from mq_common._traffic import Traffic
from mq_common.channels import ChannelSpec, channel_of, load_channels
from mq_common.connection import address, connect, reason_of, sleep_until
from mq_common.errors import BrokerUnreachable, ConfigurationError
from mq_common.health import HealthServer
from mq_common.jobs import ErrorKinds, ErrorTypes, Failure, Job, JobContext
from mq_common.logs import configure_logging, write_out
from mq_common.process import EXIT_STOPPED, need_temporary_folder
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings, load_settings

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
    need_temporary_folder()
    broker, chosen, logs, settings = load_settings(BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings)
    configure_logging(channel, logs)
    spec = channel_of(load_channels(chosen.channels, chosen.profile), channel)
    kinds = ErrorKinds(permanent, transient, interrupted)
    worker = Worker(spec, _built(build_job, spec, kinds), broker=broker, settings=settings, kinds=kinds)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    return worker.run()


def _built(build_job: Callable[[ChannelSpec], Job], spec: ChannelSpec, kinds: ErrorKinds) -> Job:
    """Build the job; what its own errors say at this point is about the installation, not about a message."""
    try:
        return build_job(spec)
    except (*kinds.permanent, *kinds.transient) as error:
        raise ConfigurationError(str(error)) from error


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
        self._session: Session | None = None
        self._has_consumed = False
        self._last_turn = time.monotonic()
        self._traffic = Traffic(spec.name)
        self.health = HealthServer(settings.health_host, settings.health_port, live=self._live, ready=self._ready)

    def stop(self) -> None:
        """Ask the loop to finish. Only sets a flag: it is called from signal handlers."""
        self._stop_requested = True

    def run(self) -> int:
        """Consume until stopped; gives 0. Raises BrokerUnreachable when the first connect takes too long."""
        self.health.start()
        self._crew.start()
        backoff = Backoff(initial_s=0.1, max_s=5.0)
        try:
            while not self._stop_requested:
                began = time.monotonic()
                try:
                    self._consume()
                except (AMQPError, OSError, BrokerUnreachable) as error:
                    if self._stop_requested:
                        break
                    if not self._has_consumed and isinstance(error, BrokerUnreachable):
                        raise
                    self._lost(error)
                    if time.monotonic() - began > STEADY_AFTER_S:
                        backoff.reset()
                    sleep_until(time.monotonic() + backoff.next(), self._turn)
            self._finish_without_broker()
        finally:
            self._crew.dismiss()
            self.health.close()
            write_out()
        log.info("worker_stopped", channel=self._spec.name)
        return EXIT_STOPPED

    # -- one connection's life ----------------------------------------------------------------------------------

    def _consume(self) -> None:
        # The start limit holds until the first subscription; after that the worker waits for the broker for ever.
        limit = float("inf") if self._has_consumed else None
        connection = connect(self._broker, f"mediaflow {self._name}", limit_s=limit, stop=self._turn)
        self._connection = connection
        try:
            self._session = session = Session(connection, self._spec, self._crew, self._traffic)
            session.subscribe()
            self._has_consumed = True
            while not self._turn():
                session.turn(POLL_S)
                session.resubscribe_if_cancelled()
            self._finish(session)
        finally:
            self._session = self._connection = None
            metrics.CONSUMING.labels(self._spec.name).set(0)
            with suppress(AMQPError, OSError):
                connection.close()

    def _finish(self, session: Session) -> None:
        """Stop in the order that costs no message an attempt: cancel, give back, finish, ack, close."""
        self._stopping.set()
        session.cancel()
        session.return_unstarted()
        log.info("worker_draining", channel=self._spec.name, grace_s=self._settings.grace_s)
        session.settle_until_idle(time.monotonic() + self._settings.grace_s, self._turn)
        if not self._crew.idle:
            self._cancel_jobs()
            session.settle_until_idle(time.monotonic() + CANCEL_GRACE_S, self._turn)
        session.linger()

    def _finish_without_broker(self) -> None:
        """Let running jobs commit their results: the messages come again, and are then found to be done."""
        if self._cancelled.is_set():  # the grace time is spent
            return
        self._stopping.set()
        sleep_until(time.monotonic() + self._settings.grace_s, self._jobs_ended)
        if not self._jobs_ended():
            self._cancel_jobs()
            sleep_until(time.monotonic() + CANCEL_GRACE_S, self._jobs_ended)

    def _jobs_ended(self) -> bool:
        self._turn()
        return not self._crew.working

    def _cancel_jobs(self) -> None:
        log.warning("grace_time_over", channel=self._spec.name, tip="raise MEDIAFLOW_GRACE_S to let jobs finish")
        self._cancelled.set()

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
        write_out()  # also while no session settles anything
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
        return None if self._session and self._session.consuming else "not subscribed to the queue"
