"""A channel's job on a store that is full, away or slow."""

from pathlib import Path

import pytest
import structlog
from job_doubles import GivenUp, UploadEvent, WorkerContext

from media_common import commit
from media_common.errors import (
    StoreFull,
    StoreUnavailable,
)
from media_common.job import ChannelJob
from media_common.layout import result_key
from media_common.settings import MediaSettings
from media_common.store import MediaStore


def test_giving_up_never_fails_over_the_store(
    store: MediaStore, job: ChannelJob, event: UploadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_options: object) -> bool:
        raise StoreUnavailable("no store")

    monkeypatch.setattr(store, "put_json", refuse)
    with structlog.testing.capture_logs() as logs:
        job.gave_up(event, GivenUp())

    assert [entry["event"] for entry in logs] == ["attempt_not_noted", "failure_not_stored"]


def test_a_store_that_fills_up_half_way_commits_nothing(
    store: MediaStore, settings: MediaSettings, job: ChannelJob, event: UploadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_file = store.put_file

    def put_until_full(key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        if key.endswith("index.m3u8"):
            raise StoreFull("no room")
        put_file(key, path, content_type, consume=consume)

    monkeypatch.setattr(store, "put_file", put_until_full)
    with pytest.raises(StoreFull):
        job.run(event, WorkerContext())

    assert store.get_json(result_key("a1", "thumbnail")) is None
    monkeypatch.undo()
    assert job.run(event, WorkerContext(attempt=2)) is True


def test_a_hiccup_of_the_store_does_not_cost_the_work(
    store: MediaStore, job: ChannelJob, event: UploadEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit, "_PAUSES_S", (0.01, 0.01))
    put_file = store.put_file
    refused: list[str] = []

    def put_at_third_try(key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        if refused.count(key) < 2:
            refused.append(key)
            raise StoreUnavailable("hiccup")
        put_file(key, path, content_type, consume=consume)

    monkeypatch.setattr(store, "put_file", put_at_third_try)

    assert job.run(event, WorkerContext()) is True
    assert len(refused) == 4
