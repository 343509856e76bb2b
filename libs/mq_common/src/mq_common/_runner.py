"""Running one job by its channel's retry policy: how errors become retries, and the failure that is kept."""

import threading
import time
from datetime import UTC, datetime
from typing import Any

import structlog
from tenacity import RetryCallState, Retrying

from mq_common import metrics
from mq_common.channels import ChannelSpec
from mq_common.errors import JobInterrupted, JobTimedOut, TransientError
from mq_common.events import MediaEvent
from mq_common.jobs import MAX_MESSAGE_CHARS, ErrorKinds, FailedAttempt, Failure, Job, JobContext, JobEnd, describe
from mq_common.logs import GATHERED
from mq_common.retry import retrying


class JobRunner:
    """Runs jobs of one channel. Used by many job threads at once."""

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
        self.spec, self._job, self._worker, self._kinds = spec, job, worker, kinds
        self._stopping, self._cancelled = stopping, cancelled
        self._failed = {kind: metrics.FAILED_ATTEMPTS.labels(spec.name, kind) for kind in ("transient", "permanent")}
        self._log = structlog.get_logger().bind(channel=spec.name)
        # One line a job, perhaps of thousands a second; the worker's loop writes them before it acknowledges.
        self._log_of_ends = structlog.get_logger(GATHERED).bind(channel=spec.name)

    def run(self, event: MediaEvent, *, returns: int = 0) -> JobEnd:
        """Try until the job is done, the policy is used up, the time limit is over or the worker has to stop.

        ``returns``: how often the message came back to its queue before, which the broker allows delivery_limit times.
        """
        started = time.monotonic()
        attempts = _Attempts(self, event, started, returns)
        try:
            fresh = attempts.run()
        except BaseException as error:
            return self._failed_end(attempts, error)
        self._log_of_ends.info(
            "job_done" if fresh else "job_was_duplicate",
            event_id=event.event_id,
            asset_id=event.asset_id,
            attempt=attempts.count,
            seconds=time.monotonic() - started,
        )
        return JobEnd.DONE if fresh else JobEnd.DUPLICATE

    def attempt(self, attempts: "_Attempts") -> bool:
        """Run the job once; a failure is counted by its kind."""
        context = JobContext(
            self.spec.name,
            self._worker,
            attempts.count,
            attempts.deadline,
            self._cancelled,
            attempts.last_delivery,
            attempts.returns,
        )
        try:
            return self._job.run(attempts.event, context)
        except BaseException as error:
            if not self._was_stopped(error):
                self._failed["permanent" if self._kinds.is_permanent(error) else "transient"].inc()
            raise

    def may_retry(self, error: BaseException) -> bool:
        """Tell whether the channel's policy applies to this error."""
        return not self._was_stopped(error) and not self._kinds.is_permanent(error)

    def _was_stopped(self, error: BaseException) -> bool:
        """Tell whether this worker stopped the job.

        A job that says so while the worker goes on has failed like any other: given back, its message would come again
        at once, for ever.
        """
        stopping = self._stopping.is_set() or self._cancelled.is_set()
        return stopping and self._kinds.is_interruption(error)

    def check_time(self, deadline: float) -> None:
        """Raise JobTimedOut when the job's time is over (its waits may have used it up)."""
        if time.monotonic() >= deadline:
            raise JobTimedOut(f"the job's time limit of {self.spec.job_time_limit_s:g} s is over")

    def policy(self, attempts: "_Attempts") -> Retrying:
        """Give tenacity's loop for one job of this channel."""

        def tell_retry(state: RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            if error is not None:
                self._tell_retry(attempts, error, state.next_action.sleep if state.next_action else 0.0)

        return retrying(
            self.spec.retries,
            is_transient=self.may_retry,
            deadline=attempts.deadline,
            sleep=self._wait_or_stop,
            before_sleep=tell_retry,
        )

    def _tell_retry(self, attempts: "_Attempts", error: BaseException, retry_in_s: float) -> None:
        log = self._log.bind(event_id=attempts.event.event_id, asset_id=attempts.event.asset_id)
        log.warning(
            "job_attempt_failed", attempt=attempts.count, error=describe(error), retry_in_s=round(retry_in_s, 2)
        )
        try:
            failed = FailedAttempt(**self._failure(attempts, error), retry_in_s=retry_in_s)
            self._job.attempt_failed(attempts.event, failed)
        except Exception as problem:
            log.warning("failed_attempt_not_kept", error=describe(problem))

    def _wait_or_stop(self, seconds: float) -> None:
        """Wait before the next try. A worker that is stopping returns the message instead of waiting."""
        if self._stopping.wait(seconds):
            raise JobInterrupted("the worker stops; another one will try again")

    def _failed_end(self, attempts: "_Attempts", error: BaseException) -> JobEnd:
        event = attempts.event
        if self._was_stopped(error):
            self._log.info("job_interrupted", event_id=event.event_id, asset_id=event.asset_id, attempt=attempts.count)
            return JobEnd.INTERRUPTED
        self._report(event, Failure(**self._failure(attempts, error)), error)
        return JobEnd.REJECTED

    def _failure(self, attempts: "_Attempts", error: BaseException) -> dict[str, Any]:
        """Describe how the latest try ended."""
        return {
            "error_class": type(error).__name__,
            "message": str(error)[:MAX_MESSAGE_CHARS] or type(error).__name__,
            "permanent": self._kinds.is_permanent(error),
            "attempts": attempts.count,
            "worker": self._worker,
            "failed_at": datetime.now(UTC),
            "seconds": round(time.monotonic() - attempts.began, 3),
        }

    def _report(self, event: MediaEvent, failure: Failure, error: BaseException) -> None:
        log = self._log.bind(event_id=event.event_id, asset_id=event.asset_id)
        foreseen = failure.permanent or isinstance(error, (TransientError, *self._kinds.transient))
        log.error(
            "job_rejected",
            error=describe(error),
            permanent=failure.permanent,
            attempts=failure.attempts,
            **({} if foreseen else {"exc_info": error}),
        )
        try:
            self._job.gave_up(event, failure)
        except Exception as problem:
            # The dead-letter queue has the message either way; without a store the reason is in the log only.
            log.warning("failure_not_kept", error=describe(problem))


class _Attempts:
    """The attempts at one job, counted."""

    __slots__ = ("_runner", "began", "count", "deadline", "event", "last_delivery", "returns")

    def __init__(self, runner: JobRunner, event: MediaEvent, began: float, returns: int) -> None:
        self._runner, self.event, self.returns = runner, event, returns
        self.deadline = began + runner.spec.job_time_limit_s
        self.last_delivery = returns >= runner.spec.delivery_limit
        #: When the latest try began, in monotonic seconds, and which one it is.
        self.began, self.count = began, 1

    def run(self) -> bool:
        """Try once; only after a transient failure pay for the retry loop, which takes that failure as its first."""
        runner = self._runner
        try:
            return runner.attempt(self)
        except Exception as error:
            if not runner.may_retry(error):
                raise
            first_failure: list[Exception] = [error]

        def attempt_again() -> bool:
            if first_failure:
                raise first_failure.pop()
            runner.check_time(self.deadline)
            self.count += 1
            self.began = time.monotonic()
            return runner.attempt(self)

        return runner.policy(self)(attempt_again)
