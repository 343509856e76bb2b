"""Several workers with one asset: one worker's outputs, whole, or none."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
import structlog
from job_doubles import PREFIX, UploadEvent, WorkerContext, job_doing

from media_common.job import Task
from media_common.layout import result_key
from media_common.settings import MediaSettings
from media_common.store import MediaStore


def test_a_new_event_of_the_same_asset_replaces_what_was_there(
    store: MediaStore, settings: MediaSettings, event: UploadEvent
) -> None:
    def work_of(event_id: str) -> Callable[[Task], Mapping[str, object]]:
        def work(task: Task) -> Mapping[str, object]:
            (task.outputs / "both").write_text(event_id)
            (task.outputs / f"only_{event_id}").write_text(event_id)
            return {}

        return work

    job_doing(store, settings, work_of("e1")).run(event, WorkerContext())
    job_doing(store, settings, work_of("e2")).run(replace(event, event_id="e2"), WorkerContext())

    assert store.get_bytes(f"{PREFIX}both") == b"e2"
    assert store.get_bytes(f"{PREFIX}only_e1") is None
    result = store.get_json(result_key("a1", "thumbnail"))
    assert result is not None
    assert [output["name"] for output in result["outputs"]] == ["both", "only_e2"]


def _signed_work(worker: str, files: int = 12) -> Callable[[Task], Mapping[str, object]]:
    """Outputs that tell who made them, and how many he made."""

    def work(task: Task) -> Mapping[str, object]:
        for number in range(files):
            (task.outputs / f"{number:03}.m4s").write_text(worker * 1000)
        (task.outputs / "index.m3u8").write_text(worker)
        return {"by": worker}

    return work


def _assert_one_worker_made_all(store: MediaStore) -> None:
    result = store.get_json(result_key("a1", "thumbnail"))
    assert result is not None
    worker = result["worker"]
    assert result["details"] == {"by": worker}
    listed = {f"{PREFIX}{output['name']}": output["size"] for output in result["outputs"]}
    stored = {key for key in store.list_keys(PREFIX) if not key.endswith(".json")}
    assert stored == set(listed)
    for key, size in listed.items():
        content = store.get_bytes(key)
        assert content is not None
        assert set(content.decode().split(worker)) == {""}
        assert len(content) == size


def test_of_two_workers_with_one_event_the_first_to_commit_wins_and_stays(
    store: MediaStore, settings: MediaSettings, event: UploadEvent
) -> None:
    inner = job_doing(store, settings, _signed_work("fast", files=3))

    def overtaken(task: Task) -> Mapping[str, object]:
        assert inner.run(event, WorkerContext(worker="fast")) is True
        return _signed_work("slow")(task)

    with structlog.testing.capture_logs() as logs:
        assert job_doing(store, settings, overtaken).run(event, WorkerContext(worker="slow")) is False

    _assert_one_worker_made_all(store)
    result = store.get_json(result_key("a1", "thumbnail"))
    assert result is not None
    assert result["worker"] == "fast"
    assert logs[-1]["event"] == "job_duplicate"


@pytest.mark.parametrize("round_", range(3))
def test_many_workers_that_finish_one_event_together_mix_nothing(
    store: MediaStore, settings: MediaSettings, event: UploadEvent, round_: int
) -> None:
    together = threading.Barrier(5)
    done: dict[str, bool] = {}

    def deliver(worker: str, files: int) -> None:
        def work(task: Task) -> Mapping[str, object]:
            details = _signed_work(worker, files)(task)
            together.wait()
            return details

        done[worker] = job_doing(store, settings, work).run(event, WorkerContext(worker=worker))

    threads = [
        threading.Thread(target=deliver, args=(f"worker{number}", 3 + 4 * number + round_)) for number in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(done.values()) == [False, False, False, False, True]
    _assert_one_worker_made_all(store)
