"""Uploads are accepted while the broker is gone or blocked, and their events published when it is back."""

import re
import time
from uuid import uuid4

import httpx
import pika
import pytest

from ingest_server import queue_messages, until
from local_fleet.broker import PrivateBroker
from mq_workers import rabbitmqctl

BOUND_S = 5.5
_VIDEO = {"Content-Type": "video/mp4"}


def _simulated(client, asset_id=None, **more):
    return client.post("/media/upload", json={"assetId": asset_id or f"a-{uuid4().hex}", "ownerId": "u-1"}, **more)


def _file(client, clip, **more):
    return client.post("/media/upload", content=clip, headers=_VIDEO | more.pop("headers", {}), **more)


def _accepted(answer):
    assert (answer.status_code, answer.json()["status"]) == (202, "accepted"), answer.text
    return answer.json()["eventId"]


def _metric(server, name):
    lines = httpx.get(f"{server.url}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if re.match(rf"{name}(\{{| )", line))


def _queued(amqp_url):
    return [properties.message_id for properties, _ in queue_messages(amqp_url)]


def _drained(server):
    return not [key for key in server.files() if key.startswith(("outbox/", "intents/"))]


def test_uploads_of_an_outage_are_accepted_and_published_in_order_when_the_broker_is_back(
    start, wire, wired_url, amqp_url, clip
):
    server = start(wired_url)
    with server.client() as client:
        wire.cut()
        until(lambda: client.get("/readyz").json()["broker"] != "ok", "the loss")
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["outbox"]) == (200, "ok")
        sent = [_accepted(_file(client, clip) if number % 2 else _simulated(client)) for number in range(20)]
        asset = client.get(client.get("/media?limit=1").json()["assets"][0]["url"]).json()
        assert asset["status"] == "queued"
        until(lambda: _metric(server, "mediaflow_outbox_entries") == 20, "the count")
        assert _metric(server, "mediaflow_outbox_oldest_seconds") > 0
        assert queue_messages(amqp_url) == []
        wire.mend()
        until(lambda: _drained(server), "the relay")
        assert _queued(amqp_url) == sent
        assert _metric(server, "mediaflow_outbox_relayed_total") == 20
        assert [record["event_id"] for record in server.records("event_relayed")] == sent
        until(lambda: _metric(server, "mediaflow_outbox_entries") == 0, "the count")
        until(lambda: _simulated(client).json()["status"] == "queued", "the way without the outbox")


def test_the_same_key_while_it_waits_and_after_is_one_event(start, wire, wired_url, amqp_url, clip):
    server = start(wired_url)
    key = {"Idempotency-Key": "k-1"}
    with server.client() as client:
        wire.cut()
        until(lambda: client.get("/readyz").json()["broker"] != "ok", "the loss")
        event_id = _accepted(_file(client, clip, headers=key))
        assert _accepted(_file(client, clip, headers=key)) == event_id
        assert _accepted(_file(client, clip, params={"assetId": "mine"})) != event_id
        assert _file(client, clip + b"x", headers=key).status_code == 422
        assert _file(client, clip + b"x", params={"assetId": "mine"}).status_code == 409
        wire.mend()
        until(lambda: _drained(server), "the relay")
        again = _file(client, clip, headers=key).json()
        assert (again["eventId"], again["status"]) == (event_id, "queued")
    assert len(_queued(amqp_url)) == 2


def test_a_broker_that_does_not_answer_costs_the_bound_and_nothing_else(start, wire, wired_url, amqp_url, clip):
    server = start(wired_url)
    with server.client() as client:
        wire.freeze()
        for upload in (lambda: _file(client, clip), lambda: _simulated(client)):
            started = time.monotonic()
            _accepted(upload())
            assert time.monotonic() - started < BOUND_S
        wire.mend()
        until(lambda: _drained(server), "the relay", 30)
    assert len(set(_queued(amqp_url))) == 2


def test_an_outage_longer_than_the_outbox_is_503_with_retry_after(start, wire, wired_url, amqp_url, clip):
    server = start(wired_url, MEDIAFLOW_OUTBOX_MAX_ENTRIES="3", MEDIAFLOW_INGEST_WORKERS="1")
    with server.client() as client:
        wire.cut()
        until(lambda: client.get("/readyz").json()["broker"] != "ok", "the loss")
        for _ in range(3):
            _accepted(_simulated(client))
        before = server.media_files()
        for answer in (_simulated(client), _file(client, clip)):
            assert (answer.status_code, answer.json()["type"]) == (503, "urn:mediaflow:problem:outbox-full")
            assert int(answer.headers["Retry-After"]) > 0
        assert server.media_files() == before
        assert client.get("/readyz").status_code == 503
        assert client.post("/media/burst", json={"count": 3}).json()["type"].endswith("broker-unavailable")
        wire.mend()
        until(lambda: _simulated(client).status_code == 202, "acceptance")
        until(lambda: _drained(server), "the relay")
    assert len(_queued(amqp_url)) >= 4


def test_a_file_whose_event_has_no_queue_is_503_and_published_when_there_is_one(start, amqp_url, clip):
    server = start()
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        broker = connection.channel()
        for channel in ("thumbnail", "transcode", "subtitle"):
            broker.queue_delete(f"media.{channel}")
        with server.client() as client:
            refused = _file(client, clip)
            assert (refused.status_code, refused.json()["type"]) == (503, "urn:mediaflow:problem:unroutable")
            until(lambda: _metric(server, "mediaflow_outbox_refused_total") >= 1, "a try of the relay")
            assert not _drained(server)
            assert server.records("outbox_refused")[0]["outcome"] == "unroutable"
            broker.queue_declare("media.late", durable=True)
            broker.queue_bind("media.late", "media.topic", "media.*")
            until(lambda: _drained(server), "the relay", 30)
    [(properties, _)] = queue_messages(amqp_url, "media.late")
    assert properties.message_id == refused.json()["eventId"]


@pytest.mark.slow
def test_it_starts_without_a_broker_accepts_and_publishes_once_there_is_one(start, own_broker: PrivateBroker, clip):
    amqp_url = own_broker.address.amqp_url
    own_broker.kill()
    server = start(amqp_url, ready=False)
    with server.client() as client:
        until(lambda: _answers(client), "the start")
        assert server.records("started_without_broker")
        sent = [_accepted(_file(client, clip)), _accepted(_simulated(client))]
        own_broker.start()
        until(lambda: _drained(server), "the relay", 60)
        assert server.process.poll() is None
        assert _queued(amqp_url) == sent
        rabbitmqctl(own_broker, "set_vm_memory_high_watermark", "absolute", "1MB")
        try:
            started = time.monotonic()
            sent = [_accepted(_simulated(client)), _accepted(_file(client, clip))]
            assert time.monotonic() - started < 2 * BOUND_S
            until(lambda: _metric(server, "mediaflow_publisher_blocked") > 0, "the alarm to be seen")
        finally:
            rabbitmqctl(own_broker, "set_vm_memory_high_watermark", "0.6")
        until(lambda: _drained(server), "the relay", 30)
    assert list(dict.fromkeys(_queued(amqp_url))) == sent
    assert server.stop() == 0


def _answers(client):
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False
