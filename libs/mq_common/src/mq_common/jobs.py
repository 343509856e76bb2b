"""One job: what a channel's code sees, and how its errors become retries and the failure that is kept."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import NamedTuple, Protocol

import structlog
from tenacity import RetryCallState

from mq_common import metrics
from mq_common.channels import ChannelSpec
from mq_common.errors import JobInterrupted, JobTimedOut, PermanentError, TransientError
from mq_common.events import MediaEvent
from mq_common.retry import retrying

log = structlog.get_logger()

ErrorTypes = tuple[type[BaseException], ...]

#: A longer error text is cut: it goes into logs and into the store.
MAX_MESSAGE_CHARS = 2000


class JobContext(NamedTuple):
    """What a job may want to know. ``deadline`` in monotonic seconds; ``attempt`` counts from 1."""

    channel: str
    worker: str
    attempt: int
    deadline: float
    #: Set when the worker has to stop now: end your children and raise an error of the interrupted kind.
    cancelled: threading.Event
    redelivered: bool

    def remaining(self) -> float:
        """Give the seconds until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a worker gave up on a message."""

    error_class: str
    message: str
    permanent: bool
    attempts: int
    worker: str
    failed_at: datetime


class Job(Protocol):
    """A channel's work, called on one of the worker's job threads."""

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        """Do the work; True when it was done, False when it had been done before (a duplicate delivery)."""
        ...

    def gave_up(self, event: MediaEvent, failure: Failure) -> None:
        """Keep the reason where operators find it. Called before the message goes to the dead-letter queue."""
        ...


class JobEnd(Enum):
    """How a job ended."""

    DONE = "done"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class ErrorKinds:
    """Which foreign errors mean what. mq_common's own are always recognised; an unknown error counts as transient."""

    permanent: ErrorTypes = ()
    transient: ErrorTypes = ()
    interrupted: ErrorTypes = ()

    def is_interruption(self, error: BaseException) -> bool:
        """Tell whether the job was stopped rather than failed."""
        return isinstance(error, (JobInterrupted, *self.interrupted))

    def is_permanent(self, error: BaseException) -> bool:
        """Tell whether another try is pointless. What is listed as transient wins over a listed base class."""
        if isinstance(error, (TransientError, *self.transient)):
            return False
        return isinstance(error, (PermanentError, *self.permanent)) or not isinstance(error, Exception)

    def is_transient(self, error: BaseException) -> bool:
        """Tell whether the channel's policy should try again."""
        return not self.is_interruption(error) and not self.is_permanent(error)


class JobRunner:
    """Runs a job by its channel's retry policy. Used by many job threads at once."""

    def __init__(
        self,
        spec: ChannelSpec,
        job: Job,
        *,
        worker: str,
        kinds: ErrorKinds,
        stopping: threading.Event,
        cancelled: threading.Event,
    ) -> None:
        self._spec, self._job, self._worker, self._kinds = spec, job, worker, kinds
        self._stopping, self._cancelled = stopping, cancelled
        self._failed = {kind: metrics.FAILED_ATTEMPTS.labels(spec.name, kind) for kind in ("transient", "permanent")}
        self._seconds = metrics.JOB_SECONDS.labels(spec.name)

    def run(self, event: MediaEvent, *, redelivered: bool) -> JobEnd:
        """Try until the job is done, the policy is used up, the time limit is over or the worker has to stop."""
        started = time.monotonic()
        deadline = started + self._spec.job_time_limit_s
        tries = _Tries(self, event, deadline, redelivered)
        try:
            fresh = tries.run()
        except BaseException as error:
            if self._kinds.is_interruption(error):
                log.info("job_interrupted", channel=self._spec.name, **_ids(event), attempt=tries.count)
                return JobEnd.INTERRUPTED
            self._give_up(event, error, tries.count, started)
            return JobEnd.REJECTED
        elapsed = time.monotonic() - started
        self._seconds.observe(elapsed)
        end = JobEnd.DONE if fresh else JobEnd.DUPLICATE
        log.info(
            "job_done" if fresh else "job_was_duplicate",
            channel=self._spec.name,
            event_id=event.event_id,
            asset_id=event.asset_id,
            attempt=tries.count,
            seconds=round(elapsed, 3),
        )
        return end

    def try_once(self, event: MediaEvent, attempt: int, deadline: float, redelivered: bool) -> bool:
        """Run the job once; a failure is counted by its kind."""
        if time.monotonic() >= deadline:
            raise JobTimedOut(f"the job's time limit of {self._spec.job_time_limit_s:g} s is over")
        context = JobContext(self._spec.name, self._worker, attempt, deadline, self._cancelled, redelivered)
        try:
            return self._job.run(event, context)
        except BaseException as error:
            if not self._kinds.is_interruption(error):
                self._failed["permanent" if self._kinds.is_permanent(error) else "transient"].inc()
            raise

    def retry_loop(self, deadline: float) -> Callable[[Callable[[], bool]], bool]:
        """Give tenacity's loop for one job of this channel."""
        return retrying(
            self._spec.retries,
            is_transient=self._kinds.is_transient,
            deadline=deadline,
            sleep=self._wait_or_stop,
            before_sleep=self._log_retry,
        )

    def is_transient(self, error: BaseException) -> bool:
        """Tell whether another try may help."""
        return self._kinds.is_transient(error)

    def _wait_or_stop(self, seconds: float) -> None:
        """Wait before the next try. A worker that is stopping returns the message instead of waiting."""
        if self._stopping.wait(seconds):
            raise JobInterrupted("the worker stops; another one will try again")

    def _log_retry(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        wait = state.next_action.sleep if state.next_action else 0.0
        log.warning(
            "job_attempt_failed",
            channel=self._spec.name,
            attempt=state.attempt_number,
            error=describe(error),
            retry_in_s=round(wait, 2),
        )

    def _give_up(self, event: MediaEvent, error: BaseException, attempts: int, started: float) -> None:
        self._seconds.observe(time.monotonic() - started)
        failure = Failure(
            error_class=type(error).__name__,
            message=str(error)[:MAX_MESSAGE_CHARS] or type(error).__name__,
            permanent=self._kinds.is_permanent(error),
            attempts=attempts,
            worker=self._worker,
            failed_at=datetime.now(UTC),
        )
        expected = failure.permanent or isinstance(error, (TransientError, *self._kinds.transient))
        log.error(
            "job_rejected",
            channel=self._spec.name,
            **_ids(event),
            error=describe(error),
            permanent=failure.permanent,
            attempts=attempts,
            exc_info=None if expected else error,
        )
        try:
            self._job.gave_up(event, failure)
        except Exception as problem:
            # The dead-letter queue has the message either way; without a store the reason is in the log only.
            log.warning("failure_not_kept", channel=self._spec.name, **_ids(event), error=describe(problem))


class _Tries:
    """The attempts at one job, counted."""

    def __init__(self, runner: JobRunner, event: MediaEvent, deadline: float, redelivered: bool) -> None:
        self._runner, self._event, self._deadline, self._redelivered = runner, event, deadline, redelivered
        self.count = 0

    def run(self) -> bool:
        """Try once; only after a transient failure pay for the retry loop, which takes that failure as its first."""
        try:
            return self._next()
        except Exception as error:
            if not self._runner.is_transient(error):
                raise
            first_failure: list[Exception] = [error]

        def next_try() -> bool:
            if first_failure:
                raise first_failure.pop()
            return self._next()

        return self._runner.retry_loop(self._deadline)(next_try)

    def _next(self) -> bool:
        self.count += 1
        return self._runner.try_once(self._event, self.count, self._deadline, self._redelivered)


def describe(error: BaseException | None) -> str:
    """Give an error's class and text in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:MAX_MESSAGE_CHARS] if text else type(error).__name__


def _ids(event: MediaEvent) -> dict[str, str]:
    return {"event_id": event.event_id, "asset_id": event.asset_id}
