"""The outbox in an S3 store, shared by two machines: either may be killed, either may relay."""

import os
import signal

import pytest

from ingest_server import queue_messages, until
from s3_service import S3Service

_VIDEO = {"Content-Type": "video/mp4"}


@pytest.fixture
def s3():
    service = S3Service()
    service.make_bucket()
    yield service
    service.close()


def _left(s3):
    stored = s3.keys()
    prefixes = ("media/flow/outbox/", "media/flow/intents/")
    return [key for key in stored if key.startswith(prefixes)]


def test_what_one_machine_accepted_before_it_was_killed_another_publishes_in_order(
    start, s3, wire, wired_url, amqp_url, clip
):
    settings = s3.environment() | {"MEDIAFLOW_STORE_URL": s3.url, "MEDIAFLOW_INGEST_WORKERS": "1"}
    one = start(wired_url, **settings)
    with one.client() as client:
        wire.cut()
        until(lambda: client.get("/readyz").json()["broker"] != "ok", "the loss")
        answers = [
            client.post("/media/upload", content=clip, headers=_VIDEO)
            if number % 2
            else client.post("/media/upload", json={"assetId": f"a-{number}", "ownerId": "u-1"})
            for number in range(12)
        ]
    assert {(answer.status_code, answer.json()["status"]) for answer in answers} == {(202, "accepted")}
    assert len(_left(s3)) == 12
    for pid in (one.process.pid, *one.workers()):
        os.kill(pid, signal.SIGKILL)

    other = start(amqp_url, **settings)
    until(lambda: not _left(s3), "the other machine's relay", 30)
    published = [properties.message_id for properties, _ in queue_messages(amqp_url)]
    assert published == [answer.json()["eventId"] for answer in answers]
    with other.client() as client:
        assert {asset["status"] for asset in client.get("/media?include=status").json()["assets"]} == {"queued"}
