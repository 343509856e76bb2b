"""Without a capacity the broker decides: one full queue refuses, another keeps its copy, and the work is done once."""

import json
import os
import subprocess
import sys
from collections import Counter

import pika
import pytest

from channel_entry import channel_entry
from ingest_server import until

QUEUES = ("media.thumbnail", "media.transcode")


class Workers:
    """The two channels' worker processes, and what their logs say of each asset."""

    def __init__(self, folder, environment) -> None:
        self._logs = {channel: folder / f"{channel}.log" for channel in ("thumbnail", "transcode")}
        self._processes = []
        for channel, log in self._logs.items():
            with log.open("wb") as stderr:
                process = subprocess.Popen([sys.executable, "-m", channel], env=environment, stderr=stderr)
            self._processes.append(process)

    def ends(self, channel, asset_id):
        """How often the asset's job ended in which way."""
        lines = (json.loads(line) for line in self._logs[channel].read_text().splitlines() if line.startswith("{"))
        return Counter(line["event"] for line in lines if line.get("asset_id") == asset_id)

    def stop(self):
        for process in self._processes:
            process.kill()
            process.wait()


@pytest.fixture
def channels_file(tmp_path):
    file = tmp_path / "channels.toml"
    file.write_text(channel_entry("thumbnail") + channel_entry("transcode", max_length=2))
    return file


@pytest.fixture
def work(tmp_path, amqp_url, channels_file):
    """Starts the workers."""
    started = []
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
    environment |= {
        "AMQP_URL": amqp_url,
        "MEDIAFLOW_STORE_URL": f"file://{tmp_path}/store",
        "MEDIAFLOW_CHANNELS": str(channels_file),
        "MEDIAFLOW_HEALTH_PORT": "0",
        "MEDIAFLOW_LOG_FORMAT": "json",
    }

    def start() -> Workers:
        started.append(Workers(tmp_path, environment))
        return started[-1]

    yield start
    for workers in started:
        workers.stop()


def _depths(channel):
    return [channel.queue_declare(queue, passive=True).method.message_count for queue in QUEUES]


def _refused(answer):
    assert answer.status_code == 503, answer.text
    problem = answer.json()
    assert problem["type"] == "urn:mediaflow:problem:refused-by-broker"
    assert int(answer.headers["Retry-After"]) > 0
    assert "others may have taken it" in problem["detail"]
    assert "nothing is done twice" in problem["detail"]
    return problem


def test_the_retry_of_a_half_accepted_upload_does_the_work_once(start, work, amqp_url, channels_file):
    server = start(MEDIAFLOW_CHANNELS=str(channels_file))
    keyed = {"json": {"assetId": "keyed", "ownerId": "u-1"}, "headers": {"Idempotency-Key": "k-1"}}
    named = {"json": {"assetId": "named", "ownerId": "u-1"}}
    with server.client() as client, pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        number = iter(range(100))
        until(lambda: _fill(client, next(number)) == 503, "a full queue")
        thumbnails, transcodes = next(number), _depths(channel)[1]

        burst = client.post("/media/burst", json={"count": 3})
        assert (burst.status_code, burst.json()["nacked"]) == (503, 3)
        assert burst.json()["type"] == "urn:mediaflow:problem:refused-by-broker"
        thumbnails += 3

        first = [_refused(client.post("/media/upload", **upload)) for upload in (keyed, named)]
        for upload, problem in zip((keyed, named), first, strict=True):
            again = _refused(client.post("/media/upload", **upload))
            assert again["eventId"] == problem["eventId"]
        # the full queue took nothing, the other one has two copies of each
        until(lambda: _depths(channel) == [thumbnails + 4, transcodes], "two copies in the one and none in the other")

        workers = work()
        for upload, problem in zip((keyed, named), first, strict=True):
            answer = until(lambda upload=upload: _accepted(client.post("/media/upload", **upload)), "acceptance", 60)
            assert answer["eventId"] == problem["eventId"]
        until(lambda: _depths(channel) == [0, 0], "drained queues", 60)
        for asset_id, problem in (("keyed", first[0]), ("named", first[1])):
            states = until(lambda asset_id=asset_id: _done(client, asset_id), "both channels' results", 60)
            assert states == {"thumbnail", "transcode"}
            until(lambda asset_id=asset_id: workers.ends("thumbnail", asset_id)["job_was_duplicate"] >= 2, "duplicates")
            for name in states:
                assert workers.ends(name, asset_id)["job_done"] == 1
                result = json.loads((server.store_root / f"assets/{asset_id}/{name}/result.json").read_text())
                assert result["eventId"] == problem["eventId"]


def _fill(client, number):
    return client.post("/media/upload", json={"assetId": f"fill-{number}", "ownerId": "u-1"}).status_code


def _accepted(answer):
    return answer.json() if answer.status_code == 202 else None


def _done(client, asset_id):
    """The asset's channels once all are done."""
    channels = client.get(f"/media/{asset_id}").json()["channels"]
    return set(channels) if all(view["state"] == "done" for view in channels.values()) else None
