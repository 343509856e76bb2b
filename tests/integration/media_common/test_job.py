"""A channel's job on real stores with real video."""

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest
import structlog
from job_doubles import PREFIX, GivenUp, StoredSource, UploadEvent, WorkerContext, job_doing, poster, uploaded

from media_common.errors import (
    BadMedia,
    JobCancelled,
    LimitExceeded,
    SourceMissing,
    ToolFailed,
)
from media_common.ffmpeg import run_ffmpeg
from media_common.job import ChannelJob, Task
from media_common.layout import attempts_key, progress_key, result_key
from media_common.settings import MediaSettings
from media_common.states import read_channel_state
from media_common.store import MediaStore
from media_common.timestamps import moment_of
from media_fixtures.cache import FixtureCache
from s3_service import S3Service


def _nothing_is_left(store: MediaStore, settings: MediaSettings) -> None:
    assert store.get_json(result_key("a1", "thumbnail")) is None
    assert set(store.list_keys(PREFIX)) <= {progress_key("a1", "thumbnail"), attempts_key("a1", "thumbnail")}
    assert list(settings.scratch_dir.iterdir()) == []


def test_work_done_is_committed_with_its_outputs(
    store: MediaStore, settings: MediaSettings, job: ChannelJob, event: UploadEvent
) -> None:
    with structlog.testing.capture_logs() as logs:
        assert job.run(event, WorkerContext(attempt=2)) is True

    result = store.get_json(result_key("a1", "thumbnail"))
    assert result is not None
    assert (result["eventId"], result["channel"], result["attempt"], result["worker"]) == ("e1", "thumbnail", 2, "w1")
    assert result["details"] == {"width": 426}
    assert result["simulated"] is False
    described = {output["name"]: (output["size"], output["contentType"]) for output in result["outputs"]}
    assert described["index.m3u8"] == (8, "application/vnd.apple.mpegurl")
    assert described["big/poster.jpg"][1] == "image/jpeg"
    picture = store.get_bytes(f"{PREFIX}big/poster.jpg")
    assert picture is not None
    assert picture.startswith(b"\xff\xd8")
    assert len(picture) == described["big/poster.jpg"][0]
    started, finished = moment_of(result["startedAt"]), moment_of(result["finishedAt"])
    assert started is not None
    assert finished is not None
    assert (finished - started).total_seconds() == pytest.approx(result["elapsedSec"], abs=0.05)
    assert {key.removeprefix(PREFIX) for key in store.list_keys(PREFIX)} == {
        "result.json",
        "progress.json",
        "index.m3u8",
        "big/poster.jpg",
    }
    assert list(settings.scratch_dir.iterdir()) == []
    names = [entry["event"] for entry in logs]
    assert names[0] == "job_started"
    assert names[-1] == "job_committed"
    assert all((entry["event_id"], entry["asset_id"]) == ("e1", "a1") for entry in logs)


def test_outputs_are_stored_with_their_content_types(
    s3: S3Service, s3_store: MediaStore, settings: MediaSettings, media_fixtures: FixtureCache
) -> None:
    names = ("index.m3u8", "init.mp4", "0.m4s", "en.vtt", "poster.jpg")

    def work(task: Task) -> Mapping[str, object]:
        for name in names:
            (task.outputs / name).write_text("x")
        return {}

    job_doing(s3_store, settings, work).run(uploaded(s3_store, media_fixtures["small"]), WorkerContext())

    assert [s3.content_type(f"{PREFIX}{name}") for name in names] == [
        "application/vnd.apple.mpegurl",
        "video/mp4",
        "video/iso.segment",
        "text/vtt",
        "image/jpeg",
    ]


def test_a_second_delivery_is_a_duplicate_and_costs_no_work(
    store: MediaStore, settings: MediaSettings, event: UploadEvent
) -> None:
    worked: list[str] = []
    hooked: list[str] = []

    def work(task: Task) -> Mapping[str, object]:
        worked.append(task.asset_id)
        return poster(task)

    job = ChannelJob(store, "thumbnail", work, settings=settings, after_commit=hooked.append)
    assert job.run(event, WorkerContext()) is True
    first = store.get_json(result_key("a1", "thumbnail"))
    assert job.run(event, WorkerContext(attempt=2, worker="w2")) is False

    assert worked == ["a1"]
    assert hooked == ["a1", "a1"]  # the first worker may have died before its hook ran
    assert store.get_json(result_key("a1", "thumbnail")) == first


def test_progress_is_seen_while_work_goes_on(
    store: MediaStore, settings: MediaSettings, event: UploadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("media_common.progress_record.INTERVAL_S", 0)
    seen = []

    def work(task: Task) -> Mapping[str, object]:
        task.progress(43.21, "encoding")
        seen.append(read_channel_state(store, "a1", "thumbnail"))
        return poster(task)

    assert read_channel_state(store, "a1", "thumbnail").state == "queued"
    job_doing(store, settings, work).run(event, WorkerContext(attempt=2))

    assert (seen[0].state, seen[0].percent, seen[0].step, seen[0].attempt) == ("running", 43.2, "encoding", 2)
    state = read_channel_state(store, "a1", "thumbnail")
    assert (state.state, len(state.outputs), state.details) == ("done", 2, {"width": 426})


@pytest.mark.parametrize("error", [BadMedia("broken"), ToolFailed("odd"), LimitExceeded("too long"), KeyError("bug")])
def test_work_that_fails_commits_nothing(
    store: MediaStore, settings: MediaSettings, event: UploadEvent, error: Exception
) -> None:
    def work(task: Task) -> Mapping[str, object]:
        poster(task)
        raise error

    with pytest.raises(type(error)):
        job_doing(store, settings, work).run(event, WorkerContext())

    _nothing_is_left(store, settings)


def test_what_ffmpeg_said_is_in_the_log(store: MediaStore, settings: MediaSettings, event: UploadEvent) -> None:
    def work(_task: Task) -> Mapping[str, object]:
        raise BadMedia("ffmpeg cannot read the file", details="line 1\nline 2")

    with structlog.testing.capture_logs() as logs, pytest.raises(BadMedia):
        job_doing(store, settings, work).run(event, WorkerContext())

    assert [entry["details"] for entry in logs if entry["event"] == "tool_said"] == ["line 1\nline 2"]


def test_media_that_is_none_never_reaches_the_work(
    store: MediaStore, settings: MediaSettings, media_fixtures: FixtureCache
) -> None:
    def work(_task: Task) -> Mapping[str, object]:
        pytest.fail("the work was started")

    with pytest.raises(BadMedia, match="the file is text"):
        job_doing(store, settings, work).run(uploaded(store, media_fixtures["text"]), WorkerContext())

    _nothing_is_left(store, settings)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (StoredSource("assets/a2/source", 5), "the source is gone from the store"),
        (StoredSource("assets/a1/source", 5), "the event says 5"),
        (StoredSource("../outside", 5), "the event names no source"),
    ],
)
def test_a_source_that_is_gone_or_another_is_a_permanent_failure(
    store: MediaStore, settings: MediaSettings, job: ChannelJob, event: UploadEvent, source: StoredSource, reason: str
) -> None:
    with pytest.raises(SourceMissing, match=reason):
        job.run(replace(event, source=source), WorkerContext())

    assert issubclass(SourceMissing, BadMedia)
    _nothing_is_left(store, settings)


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_cancelled_job_commits_nothing(
    store: MediaStore, settings: MediaSettings, event: UploadEvent, when: str
) -> None:
    context = WorkerContext()

    def work(task: Task) -> Mapping[str, object]:
        context.cancelled.set()
        return poster(task)

    if when == "before":
        context.cancelled.set()
    with pytest.raises(JobCancelled):
        job_doing(store, settings, work).run(event, context)

    _nothing_is_left(store, settings)


def test_a_job_over_its_time_is_ended(store: MediaStore, settings: MediaSettings, event: UploadEvent) -> None:
    def work(task: Task) -> Mapping[str, object]:
        run_ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2", "-f", "null", "-"],
            cwd=task.outputs,
            time_limit_s=task.remaining(),
            memory_limit_mb=None,
        )
        return {}

    with pytest.raises(LimitExceeded, match="time limit"):
        job_doing(store, settings, work).run(event, WorkerContext(deadline=time.monotonic() + 2))

    _nothing_is_left(store, settings)


@pytest.mark.parametrize("name", ["empty", "link", "odd name", "result.json", ".hidden"])
def test_what_can_be_no_output_is_not_committed(
    store: MediaStore, settings: MediaSettings, event: UploadEvent, name: str
) -> None:
    def work(task: Task) -> Mapping[str, object]:
        if name == "link":
            (task.outputs / name).symlink_to("/etc/passwd")
        else:
            (task.outputs / name).write_text("" if name == "empty" else "x")
        return {}

    with pytest.raises(ToolFailed, match="the work left"):
        job_doing(store, settings, work).run(event, WorkerContext())

    _nothing_is_left(store, settings)


def test_a_simulated_asset_is_only_simulated(store: MediaStore, settings: MediaSettings) -> None:
    simulated: list[str] = []
    hooked: list[str] = []
    job = ChannelJob(
        store, "thumbnail", poster, settings=settings, simulate=simulated.append, after_commit=hooked.append
    )
    event = UploadEvent("e1", "a1", None)

    assert job.run(event, WorkerContext()) is True
    assert job.run(event, WorkerContext()) is False
    assert job.run(replace(event, event_id="e2"), WorkerContext()) is True

    result = store.get_json(result_key("a1", "thumbnail"))
    assert result is not None
    assert (result["simulated"], result["outputs"], result["eventId"]) == (True, [], "e2")
    assert simulated == ["a1", "a1"]
    assert hooked == ["a1", "a1", "a1"]
    assert list(store.list_keys(PREFIX)) == [result_key("a1", "thumbnail")]


def test_a_simulation_that_fails_commits_nothing(store: MediaStore, settings: MediaSettings) -> None:
    def simulate(_asset_id: str) -> None:
        raise ConnectionError("the provider does not answer")

    job = ChannelJob(store, "thumbnail", poster, settings=settings, simulate=simulate)
    with pytest.raises(ConnectionError):
        job.run(UploadEvent("e1", "a1", None), WorkerContext())

    assert list(store.list_keys(PREFIX)) == []


def test_a_channel_that_does_not_simulate_refuses_an_event_without_source(job: ChannelJob) -> None:
    with pytest.raises(BadMedia, match="does not simulate"):
        job.run(UploadEvent("e1", "a1", None), WorkerContext())


def test_giving_up_keeps_the_reason_until_work_begins_again(
    store: MediaStore, job: ChannelJob, event: UploadEvent
) -> None:
    job.gave_up(event, GivenUp())
    dead = read_channel_state(store, "a1", "thumbnail")
    assert dead.state == "dead-lettered"
    assert dead.error is not None
    assert (dead.error["message"], dead.error["errorClass"], dead.error["permanent"]) == (
        "the file is empty",
        "BadMedia",
        True,
    )

    assert job.run(event, WorkerContext()) is True  # replayed
    assert read_channel_state(store, "a1", "thumbnail").state == "done"
