"""What a job leaves for those who look at an asset's way afterwards."""

from collections.abc import Mapping

import pytest
from job_doubles import GivenUp, TriedInVain, UploadEvent, WorkerContext, job_doing

from media_common.attempt_history import KEPT, read_attempts
from media_common.errors import JobCancelled
from media_common.failure_record import mark_replayed, read_failure
from media_common.job import ChannelJob, Task
from media_common.layout import attempts_key
from media_common.settings import MediaSettings
from media_common.states import read_channel_state
from media_common.store import MediaStore
from media_common.timeline import read_timeline


def test_tries_that_fail_runs_that_end_and_messages_that_come_back_are_told_in_the_assets_timeline(
    store: MediaStore, settings: MediaSettings, event: UploadEvent, job: ChannelJob
) -> None:
    def stopped(task: Task) -> Mapping[str, object]:
        raise JobCancelled("stop")

    context = WorkerContext(returns=1)
    context.cancelled.set()
    with pytest.raises(JobCancelled):
        job_doing(store, settings, stopped).run(event, context)
    job.attempt_failed(event, TriedInVain("ToolFailed", "x" * 3000))
    job.gave_up(event, GivenUp(attempts=2))
    failure = read_failure(store, "a1", "thumbnail")
    assert failure is not None
    mark_replayed(store, "a1", "thumbnail", event_id="e1", failed_at=failure.failed_at, replays=1)
    job.run(event, WorkerContext(worker="w2"))

    timeline = read_timeline(store, "a1", "2026-03-01T08:00:00.000Z", read_channel_state(store, "a1", "thumbnail"))
    told = [step.what for step in timeline]
    assert told[0] == "queued"
    once = ["delivered-again", "interrupted", "attempt-failed", "dead-lettered", "replayed", "done"]
    assert sorted(step for step in told[1:] if step != "started") == sorted(once)
    assert 1 <= told.count("started") <= 4  # those that began in the same millisecond are told as one
    steps = {step.what: step for step in timeline}
    assert (steps["delivered-again"].delivery, steps["attempt-failed"].retry_in_s) == (2, 0.5)
    assert len(steps["attempt-failed"].message or "") == 500
    assert (steps["dead-lettered"].reason, steps["dead-lettered"].message) == ("rejected", "the file is empty")
    assert steps["replayed"].replays == 1


def test_a_job_that_succeeds_at_once_writes_no_history(store: MediaStore, job: ChannelJob, event: UploadEvent) -> None:
    job.run(event, WorkerContext())
    assert not store.exists(attempts_key("a1", "thumbnail"))


def test_the_history_of_attempts_keeps_the_latest(store: MediaStore, job: ChannelJob, event: UploadEvent) -> None:
    for number in range(KEPT + 5):
        job.attempt_failed(event, TriedInVain(attempts=number))
    history = read_attempts(store, "a1", "thumbnail")
    assert [entry["attempt"] for entry in history] == list(range(5, KEPT + 5))
