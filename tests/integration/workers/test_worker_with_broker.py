"""The workers as they run in the fleet: a real broker, a real store, real clips."""

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pika
import psutil
import pytest
from pydantic import SecretStr

from media_common.layout import progress_key, result_key, source_key
from media_common.settings import StoreSettings
from media_common.states import read_channel_state
from media_common.store import MediaStore, open_store
from media_fixtures.cache import FixtureCache
from mq_common.channels import load_channels
from mq_common.events import MediaEvent, Source
from mq_common.publisher import ConfirmingPublisher, Outcome, event_message
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import eventually

#: What a worker that has done its work may hold while it waits, in bytes.
IDLE_BYTES = 60_000_000
#: What one job may take here, in seconds, on a machine that is busy with other tests.
JOB_S = 120.0


@dataclass
class Worker:
    """A channel's worker process, the store it works on, and the log it writes."""

    channel: str
    process: subprocess.Popen[bytes]
    store: MediaStore
    scratch: Path
    log: Path

    def await_state(self, asset_id: str, wanted: str) -> None:
        eventually(lambda: read_channel_state(self.store, asset_id, self.channel).state == wanted, within_s=JOB_S)


@pytest.fixture
def start(amqp_url: str, tmp_path: Path) -> Iterator[Callable[[str], Worker]]:
    """Start the worker of a channel; it is killed with its test."""
    started: list[subprocess.Popen[bytes]] = []

    def start_one(channel: str) -> Worker:
        store_url, scratch, log = f"file://{tmp_path}/store", tmp_path / "scratch", tmp_path / "worker.log"
        scratch.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        settings = {
            "AMQP_URL": amqp_url,
            "MEDIAFLOW_STORE_URL": store_url,
            "MEDIAFLOW_MEDIA_SCRATCH_DIR": str(scratch),
            "MEDIAFLOW_HEALTH_PORT": "0",
            "MEDIAFLOW_LOG_FORMAT": "json",
        }
        with log.open("wb") as stderr:
            process = subprocess.Popen([sys.executable, "-m", channel], env=kept | settings, stderr=stderr)
        started.append(process)
        return Worker(channel, process, open_store(StoreSettings(store_url=store_url)), scratch, log)

    yield start_one
    for process in started:
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


@pytest.fixture
def waiting_in(amqp_url: str) -> Iterator[Callable[[str], int]]:
    """Count the messages that are ready in a queue."""
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    channel = connection.channel()
    yield lambda queue: channel.queue_declare(queue, passive=True).method.message_count
    connection.close()


def uploaded(store: MediaStore, asset_id: str, content: bytes) -> MediaEvent:
    """Store a file as ingest does; gives the event to publish."""
    key, digest = source_key(asset_id), hashlib.sha256(content).hexdigest()
    store.put_bytes(key, content, content_type="video/mp4")
    source = Source(key=key, size=len(content), sha256=digest, content_type="video/mp4", file_name="clip.mp4")
    return MediaEvent.create(asset_id=asset_id, owner_id="tests", source=source)


def clip_for(channel: str, media_fixtures: FixtureCache) -> Path:
    if channel == "subtitle":
        return Path(str(files("local_fleet") / "clips" / "speech_clip.mp4"))
    return media_fixtures["small"]


@pytest.mark.parametrize(
    ("channel", "outputs"),
    [
        ("thumbnail", {"poster.jpg": "image/jpeg", "sprite-1.jpg": "image/jpeg", "storyboard.vtt": "text/vtt"}),
        (
            "transcode",
            {
                "240p/index.m3u8": "application/vnd.apple.mpegurl",
                "240p/init.mp4": "video/mp4",
                "240p/seg-00001.m4s": "video/iso.segment",
                "audio/index.m3u8": "application/vnd.apple.mpegurl",
                "audio/init.mp4": "video/mp4",
                "audio/seg-00001.m4s": "video/iso.segment",
            },
        ),
        (
            "subtitle",
            {
                "en/index.m3u8": "application/vnd.apple.mpegurl",
                "en/segment.vtt": "text/vtt",
                "en/subtitles.vtt": "text/vtt",
            },
        ),
    ],
)
def test_a_worker_does_a_job_once_and_stays_small_and_leaves_nothing(
    start: Callable[[str], Worker],
    publisher: ConfirmingPublisher,
    media_fixtures: FixtureCache,
    channel: str,
    outputs: dict[str, str],
) -> None:
    worker = start(channel)
    event = uploaded(worker.store, "clip-1", clip_for(channel, media_fixtures).read_bytes())
    assert publisher.publish(event_message(event)) is Outcome.CONFIRMED
    worker.await_state("clip-1", "done")
    result = worker.store.get_json(result_key("clip-1", channel))
    assert result is not None
    assert {output["name"]: output["contentType"] for output in result["outputs"]} == outputs

    publisher.publish(event_message(event))  # the same again: a duplicate, at no cost
    after = uploaded(worker.store, "clip-2", b"no video at all")
    publisher.publish(event_message(after))
    worker.await_state("clip-2", "dead-lettered")
    assert worker.store.get_json(result_key("clip-1", channel)) == result

    assert psutil.Process(worker.process.pid).memory_info().rss < IDLE_BYTES
    assert list(worker.scratch.iterdir()) == []
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(20) == 0, worker.log.read_text()


@pytest.mark.parametrize("channel", ["thumbnail", "transcode", "subtitle"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [("text", "the file is text, and not a video"), ("garbled", "ffmpeg cannot read the file: ")],
)
def test_bad_media_is_tried_once_and_then_a_dead_letter_with_a_reason(
    start: Callable[[str], Worker],
    publisher: ConfirmingPublisher,
    waiting_in: Callable[[str], int],
    media_fixtures: FixtureCache,
    channel: str,
    name: str,
    reason: str,
) -> None:
    worker = start(channel)
    publisher.publish(event_message(uploaded(worker.store, "bad-1", media_fixtures[name].read_bytes())))
    worker.await_state("bad-1", "dead-lettered")

    state = read_channel_state(worker.store, "bad-1", channel)
    assert state.error is not None
    assert (state.error["errorClass"], state.error["permanent"], state.error["attempts"]) == ("BadMedia", True, 1)
    assert str(state.error["message"]).startswith(reason)
    eventually(lambda: waiting_in(load_channels()[channel].dead_letter_queue) == 1)
    progress = worker.store.get_json(progress_key("bad-1", channel))
    assert progress is not None
    assert progress["attempt"] == 1
