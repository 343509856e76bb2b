"""Retries, permanent failures, interruption and the time limit of one job."""

import threading
import time
from collections.abc import Callable

import pytest
from pika import BasicProperties

from mq_common._returns import Delivery
from mq_common._runner import JobRunner
from mq_common.channels import ChannelSpec, RetryPolicy, load_channels
from mq_common.errors import JobInterrupted, PermanentError, TransientError
from mq_common.events import MediaEvent
from mq_common.jobs import ErrorKinds, FailedAttempt, Failure, JobContext, JobEnd
from mq_common.retry import Backoff, wait_s
from mq_common.simulation import SimulatedProvider, fails

EVENT = MediaEvent.create(asset_id="a", owner_id="u")


class ScriptedJob:
    """Raises the scripted errors one by one, then succeeds."""

    def __init__(self, *script: BaseException | bool) -> None:
        self.script = list(script)
        self.attempts: list[int] = []
        self.last_delivery: bool | None = None
        self.returns: int | None = None
        self.failures: list[Failure] = []
        self.failed_attempts: list[FailedAttempt] = []

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        self.attempts.append(context.attempt)
        self.last_delivery, self.returns = context.last_delivery, context.returns
        step = self.script.pop(0) if self.script else True
        if isinstance(step, BaseException):
            raise step
        return step

    def attempt_failed(self, event: MediaEvent, failed: FailedAttempt) -> None:
        self.failed_attempts.append(failed)

    def gave_up(self, event: MediaEvent, failure: Failure) -> None:
        self.failures.append(failure)


def spec_with(count: int = 3, initial_ms: int = 1, time_limit: float = 60.0) -> ChannelSpec:
    policy = RetryPolicy(count=count, initial_ms=initial_ms, multiplier=2.0, max_ms=1000)
    return load_channels()["transcode"].model_copy(update={"retries": policy, "job_time_limit_s": time_limit})


def runner_for(
    job: ScriptedJob, spec: ChannelSpec | None = None, kinds: ErrorKinds | None = None, stopping: bool = False
) -> JobRunner:
    stop = threading.Event()
    if stopping:
        stop.set()
    return JobRunner(
        spec or spec_with(), job, worker="w", kinds=kinds or ErrorKinds(), stopping=stop, cancelled=threading.Event()
    )


def test_a_job_that_succeeds_runs_once() -> None:
    job = ScriptedJob()

    assert runner_for(job).run(EVENT) is JobEnd.DONE
    assert job.attempts == [1]


def test_a_job_done_before_is_a_duplicate() -> None:
    assert runner_for(ScriptedJob(False)).run(EVENT) is JobEnd.DUPLICATE


def test_transient_errors_are_tried_again_until_it_works() -> None:
    job = ScriptedJob(TransientError("503"), TransientError("503"))

    assert runner_for(job).run(EVENT) is JobEnd.DONE
    assert job.attempts == [1, 2, 3]
    assert job.failures == []


def test_a_spent_budget_keeps_the_reason_and_rejects() -> None:
    job = ScriptedJob(*[TransientError("provider answered 503")] * 10)

    assert runner_for(job, spec_with(count=2)).run(EVENT) is JobEnd.REJECTED
    assert job.attempts == [1, 2, 3]
    (failure,) = job.failures
    assert (failure.error_class, failure.message) == ("TransientError", "provider answered 503")
    assert (failure.permanent, failure.attempts, failure.worker) == (False, 3, "w")


def test_a_permanent_error_is_tried_once() -> None:
    job = ScriptedJob(PermanentError("not a video"))

    assert runner_for(job).run(EVENT) is JobEnd.REJECTED
    assert job.attempts == [1]
    assert job.failures[0].permanent


def test_an_error_nobody_foresaw_is_tried_again_and_then_kept() -> None:
    job = ScriptedJob(*[KeyError("bug")] * 10)

    assert runner_for(job, spec_with(count=1)).run(EVENT) is JobEnd.REJECTED
    assert job.attempts == [1, 2]
    assert job.failures[0].error_class == "KeyError"


def test_a_permanent_error_after_a_transient_one_ends_the_retries() -> None:
    job = ScriptedJob(TransientError("503"), PermanentError("bad"))

    assert runner_for(job).run(EVENT) is JobEnd.REJECTED
    assert job.attempts == [1, 2]
    assert job.failures[0].error_class == "PermanentError"


class ForeignBadMedia(Exception): ...


class ForeignStopped(Exception): ...


@pytest.mark.parametrize(
    ("error", "end", "attempts"),
    [(ForeignBadMedia("x"), JobEnd.REJECTED, [1]), (ForeignStopped("x"), JobEnd.INTERRUPTED, [1])],
)
def test_foreign_errors_mean_what_the_service_says(error: Exception, end: JobEnd, attempts: list[int]) -> None:
    kinds = ErrorKinds(permanent=(ForeignBadMedia,), interrupted=(ForeignStopped,))
    job = ScriptedJob(error)

    assert runner_for(job, kinds=kinds, stopping=True).run(EVENT) is end
    assert job.attempts == attempts


@pytest.mark.parametrize("error", [JobInterrupted("stopped"), ForeignStopped("stopped")])
def test_a_job_that_says_it_was_stopped_while_the_worker_goes_on_has_failed(error: Exception) -> None:
    job = ScriptedJob(*[error] * 10)

    end = runner_for(job, spec_with(count=2), ErrorKinds(interrupted=(ForeignStopped,))).run(EVENT)

    assert end is JobEnd.REJECTED  # given back, it would come again at once and for ever
    assert job.attempts == [1, 2, 3]
    assert job.failures[0].error_class == type(error).__name__


def test_a_worker_that_stops_gives_the_message_back_instead_of_waiting_for_the_next_try() -> None:
    job = ScriptedJob(TransientError("503"))
    started = time.monotonic()

    end = runner_for(job, spec_with(initial_ms=60_000), stopping=True).run(EVENT)

    assert end is JobEnd.INTERRUPTED
    assert job.failures == []
    assert time.monotonic() - started < 5


def test_no_try_starts_after_the_jobs_time_limit() -> None:
    job = ScriptedJob(*[TransientError("503")] * 100)

    end = runner_for(job, spec_with(count=99, initial_ms=500, time_limit=0.3)).run(EVENT)

    assert end is JobEnd.REJECTED
    assert job.attempts == [1]


def test_a_reason_that_can_not_be_kept_does_not_change_the_end() -> None:
    class StorelessJob(ScriptedJob):
        def gave_up(self, event: MediaEvent, failure: Failure) -> None:
            raise OSError("store is down")

    assert runner_for(StorelessJob(PermanentError("bad"))).run(EVENT) is JobEnd.REJECTED


def test_each_failed_try_that_another_one_follows_is_told_when_it_happens() -> None:
    job = ScriptedJob(TransientError("503"), OSError("reset"), PermanentError("bad file"))

    runner_for(job, spec_with(initial_ms=20)).run(EVENT, returns=2)

    told = [(each.attempts, each.error_class, each.message, each.permanent) for each in job.failed_attempts]
    assert told == [(1, "TransientError", "503", False), (2, "OSError", "reset", False)]
    assert [0.02 <= job.failed_attempts[0].retry_in_s <= 0.022, 0.04 <= job.failed_attempts[1].retry_in_s <= 0.044] == [
        True
    ] * 2
    assert [each.attempts for each in job.failures] == [3]
    assert job.returns == 2
    ends = [each.failed_at for each in (*job.failed_attempts, *job.failures)]
    assert ends == sorted(ends)
    assert all(0 <= each.seconds < 5 for each in (*job.failed_attempts, *job.failures))


def test_a_failed_try_that_can_not_be_kept_is_followed_by_the_next_one() -> None:
    class StorelessJob(ScriptedJob):
        def attempt_failed(self, event: MediaEvent, failed: FailedAttempt) -> None:
            raise OSError("store is down")

    job = StorelessJob(TransientError("503"))
    assert runner_for(job).run(EVENT) is JobEnd.DONE
    assert job.attempts == [1, 2]


def test_waits_are_half_a_second_then_one_then_two() -> None:
    policy = load_channels(profile="simulated")["thumbnail"].retries

    assert [wait_s(policy, attempt) for attempt in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert wait_s(policy, 500) == policy.max_ms / 1000


def test_backoff_grows_to_its_maximum_and_starts_anew() -> None:
    backoff = Backoff(initial_s=0.1, max_s=1.0)

    waits = [backoff.next() for _ in range(20)]
    assert 0.05 <= waits[0] <= 0.1
    assert all(0.5 <= wait <= 1.0 for wait in waits[5:])
    backoff.reset()
    assert backoff.next() <= 0.1


def outcome(call: Callable[[], None]) -> str:
    try:
        call()
    except TransientError:
        return "failed"
    return "served"


def test_the_simulated_provider_fails_a_tenth_of_the_assets_and_always_the_same() -> None:
    spec = load_channels(profile="simulated")["subtitle"]
    quick = spec.model_copy(update={"simulated": spec.simulated.model_copy(update={"latency_ms": 0})})
    provider = SimulatedProvider(quick)
    assets = [f"asset-{number}" for number in range(2000)]

    first = [outcome(lambda asset=asset: provider(asset)) for asset in assets]  # type: ignore[misc]
    second = [outcome(lambda asset=asset: provider(asset)) for asset in assets]  # type: ignore[misc]

    assert first == second
    assert 0.07 < first.count("failed") / len(assets) < 0.13
    assert not any(fails("thumbnail", asset, 0.0) for asset in assets)


@pytest.mark.parametrize(("returns", "last"), [(0, False), (4, False), (5, True), (6, True)])
def test_a_job_knows_when_the_broker_would_not_deliver_its_message_again(returns: int, last: bool) -> None:
    job = ScriptedJob()

    runner_for(job).run(EVENT, returns=returns)

    assert job.last_delivery is last


@pytest.mark.parametrize(
    ("redelivered", "headers", "returns"),
    [
        (False, None, 0),
        (False, {"x-delivery-count": 7}, 0),
        (True, None, 0),
        (True, {"x-delivery-count": 2}, 2),
        (True, {"x-delivery-count": "two"}, 0),
    ],
)
def test_returns_are_what_the_broker_counted(
    redelivered: bool, headers: dict[str, object] | None, returns: int
) -> None:
    assert Delivery(1, 1, redelivered, BasicProperties(headers=headers), b"").returns == returns
