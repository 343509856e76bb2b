"""The workers as they run in the fleet: a real broker, a real store, real clips."""

import signal
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import psutil
import pytest

from media_common.layout import progress_key, result_key
from media_common.states import read_channel_state
from media_fixtures.cache import FixtureCache
from mq_common.channels import load_channels
from mq_common.publisher import ConfirmingPublisher, Outcome, event_message
from mq_workers import eventually
from worker_process import WorkerProcess, uploaded

#: What a worker that has done its work may hold while it waits, in bytes.
IDLE_BYTES = 60_000_000


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
    start: Callable[..., WorkerProcess],
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
    start: Callable[..., WorkerProcess],
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
