"""Running one job by its channel's retry policy: how errors become retries, and the failure that is kept."""

import threading
import time
from datetime import UTC, datetime

import structlog
from tenacity import RetryCallState, Retrying

from mq_common import metrics
from mq_common.channels import ChannelSpec
from mq_common.errors import JobInterrupted, JobTimedOut, TransientError
from mq_common.events import MediaEvent
from mq_common.jobs import MAX_MESSAGE_CHARS, ErrorKinds, Failure, Job, JobContext, JobEnd, describe
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
        self._spec, self._job, self._worker, self._kinds = spec, job, worker, kinds
        self._stopping, self._cancelled = stopping, cancelled
        self._time_limit_s = spec.job_time_limit_s
        self._failed = {kind: metrics.FAILED_ATTEMPTS.labels(spec.name, kind) for kind in ("transient", "permanent")}
        self._log = structlog.get_logger().bind(channel=spec.name)
        # One line a job, perhaps of thousands a second; the worker's loop writes them before it acknowledges.
        self._log_of_ends = structlog.get_logger(GATHERED).bind(channel=spec.name)

    def run(self, event: MediaEvent, *, returns: int = 0) -> JobEnd:
        """Try until the job is done, the policy is used up, the time limit is over or the worker has to stop.

        ``returns``: how often the message came back to its queue before, which the broker allows delivery_limit times.
        """
        started = time.monotonic()
        last_delivery = returns >= self._spec.delivery_limit
        attempts = _Attempts(self, event, started + self._time_limit_s, last_delivery)
        try:
            fresh = attempts.run()
        except BaseException as error:
            return self._failed_end(event, error, attempts.count)
        self._log_of_ends.info(
            "job_done" if fresh else "job_was_duplicate",
            event_id=event.event_id,
            asset_id=event.asset_id,
            attempt=attempts.count,
            seconds=time.monotonic() - started,
        )
        return JobEnd.DONE if fresh else JobEnd.DUPLICATE

    def attempt(self, event: MediaEvent, number: int, deadline: float, last_delivery: bool) -> bool:
        """Run the job once; a failure is counted by its kind."""
        context = JobContext(self._spec.name, self._worker, number, deadline, self._cancelled, last_delivery)
        try:
            return self._job.run(event, context)
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
            raise JobTimedOut(f"the job's time limit of {self._time_limit_s:g} s is over")

    def policy(self, event: MediaEvent, deadline: float) -> Retrying:
        """Give tenacity's loop for one job of this channel."""

        def log_retry(state: RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            self._log.warning(
                "job_attempt_failed",
                event_id=event.event_id,
                asset_id=event.asset_id,
                attempt=state.attempt_number,
                error=describe(error),
                retry_in_s=round(state.next_action.sleep, 2) if state.next_action else None,
            )

        return retrying(
            self._spec.retries,
            is_transient=self.may_retry,
            deadline=deadline,
            sleep=self._wait_or_stop,
            before_sleep=log_retry,
        )

    def _wait_or_stop(self, seconds: float) -> None:
        """Wait before the next try. A worker that is stopping returns the message instead of waiting."""
        if self._stopping.wait(seconds):
            raise JobInterrupted("the worker stops; another one will try again")

    def _failed_end(self, event: MediaEvent, error: BaseException, attempts: int) -> JobEnd:
        if self._was_stopped(error):
            self._log.info("job_interrupted", event_id=event.event_id, asset_id=event.asset_id, attempt=attempts)
            return JobEnd.INTERRUPTED
        failure = Failure(
            error_class=type(error).__name__,
            message=str(error)[:MAX_MESSAGE_CHARS] or type(error).__name__,
            permanent=self._kinds.is_permanent(error),
            attempts=attempts,
            worker=self._worker,
            failed_at=datetime.now(UTC),
        )
        self._report(event, failure, error)
        return JobEnd.REJECTED

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

    __slots__ = ("_deadline", "_event", "_last_delivery", "_runner", "count")

    def __init__(self, runner: JobRunner, event: MediaEvent, deadline: float, last_delivery: bool) -> None:
        self._runner, self._event, self._deadline = runner, event, deadline
        self._last_delivery = last_delivery
        self.count = 1

    def run(self) -> bool:
        """Try once; only after a transient failure pay for the retry loop, which takes that failure as its first."""
        runner = self._runner
        try:
            return runner.attempt(self._event, 1, self._deadline, self._last_delivery)
        except Exception as error:
            if not runner.may_retry(error):
                raise
            first_failure: list[Exception] = [error]

        def attempt_again() -> bool:
            if first_failure:
                raise first_failure.pop()
            runner.check_time(self._deadline)
            self.count += 1
            return runner.attempt(self._event, self.count, self._deadline, self._last_delivery)

        return runner.policy(self._event, self._deadline)(attempt_again)
