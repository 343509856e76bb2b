"""The worker as it runs in the fleet: a real broker, a real store, a real clip."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr
from subtitle_runs import shown

from media_common.layout import result_key, source_key
from media_common.settings import StoreSettings
from media_common.states import read_channel_state
from media_common.store import MediaStore, open_store
from mq_common.channels import load_channels
from mq_common.events import MediaEvent, Source, new_event_id
from mq_common.publisher import ConfirmingPublisher, Outcome, event_message
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology

#: What a worker that has done its work may hold while it waits, in MiB.
IDLE_MIB = 60


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return open_store(StoreSettings(store_url=f"file://{tmp_path}/store"))


@pytest.fixture
def worker(amqp_url: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A subtitle worker whose store and scratch files are the test's; killed with its test."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
    (tmp_path / "scratch").mkdir()
    settings = {
        "AMQP_URL": amqp_url,
        "MEDIAFLOW_STORE_URL": f"file://{tmp_path}/store",
        "MEDIAFLOW_MEDIA_SCRATCH_DIR": str(tmp_path / "scratch"),
        "MEDIAFLOW_HEALTH_PORT": "0",
        "MEDIAFLOW_SUBTITLE_ENGINE": "whisper",
        "MEDIAFLOW_LOG_FORMAT": "json",
    }
    with (tmp_path / "worker.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "subtitle"], env=kept | settings, stderr=log)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def publisher(amqp_url: str) -> Iterator[ConfirmingPublisher]:
    """A publisher whose exchange and queues are there, as in a fleet that has been up before."""
    settings = BrokerSettings(amqp_url=SecretStr(amqp_url))
    declare_topology(settings, load_channels().values())
    publisher = ConfirmingPublisher(settings, name="test")
    yield publisher
    publisher.close()


def event_for(clip: Path, asset_id: str) -> MediaEvent:
    data = clip.read_bytes()
    source = Source(
        key=source_key(asset_id),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        content_type="video/mp4",
        file_name=clip.name,
    )
    return MediaEvent(
        event_id=new_event_id(),
        asset_id=asset_id,
        owner_id="o1",
        duration_sec=None,
        uploaded_at=datetime.now(UTC),
        source=source,
    )


def await_state(store: MediaStore, asset_id: str, wanted: str) -> None:
    deadline = time.monotonic() + 120
    while (state := read_channel_state(store, asset_id, "subtitle")).state != wanted:
        assert time.monotonic() < deadline, f"it is {state}"
        time.sleep(0.1)


def test_a_clip_becomes_subtitles_and_the_worker_stays_small(
    worker: subprocess.Popen[bytes],
    publisher: ConfirmingPublisher,
    store: MediaStore,
    speech_clip: Path,
    tmp_path: Path,
) -> None:
    event = event_for(speech_clip, "clip-1")
    store.put_file(source_key("clip-1"), speech_clip, "video/mp4")
    assert publisher.publish(event_message(event)) is Outcome.CONFIRMED
    await_state(store, "clip-1", "done")

    text = store.get_bytes("assets/clip-1/subtitle/en/subtitles.vtt")
    assert text is not None
    assert "leisure" in " ".join(cue[2] for cue in shown(text.decode()))
    result = store.get_json(result_key("clip-1", "subtitle"))
    assert result is not None
    assert [(output["name"], output["contentType"]) for output in result["outputs"]] == [
        ("en/index.m3u8", "application/vnd.apple.mpegurl"),
        ("en/segment.vtt", "text/vtt"),
        ("en/subtitles.vtt", "text/vtt"),
    ]

    publisher.publish(event_message(event))  # the same again: a duplicate, at no cost
    broken = event_for(speech_clip, "broken-1")
    store.put_bytes(source_key("broken-1"), b"no video at all".ljust(speech_clip.stat().st_size))
    publisher.publish(event_message(broken))
    await_state(store, "broken-1", "dead-lettered")
    again = store.get_json(result_key("clip-1", "subtitle"))
    assert again == result

    idle_mib = psutil.Process(worker.pid).memory_info().rss / 2**20
    assert idle_mib < IDLE_MIB
    assert list((tmp_path / "scratch").iterdir()) == []
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(20) == 0, (tmp_path / "worker.log").read_text()
