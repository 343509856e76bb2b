"""Idempotency-Key: the same key and body give the same event and no second one."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from uuid import uuid4

import pytest

from ingest.idempotency import Record, fingerprint_of
from ingest_server import queue_messages, until
from mq_common.events import MediaEvent


@pytest.fixture(autouse=True)
def empty_queue(front):
    queue_messages(front.amqp_url)


@pytest.fixture
def key():
    return {"Idempotency-Key": str(uuid4())}


def _event_ids(front):
    return [event["eventId"] for _, event in queue_messages(front.amqp_url)]


def test_a_repeated_file_upload_is_answered_again_and_neither_stored_nor_published_twice(front, client, clip, key):
    first = client.post("/media/upload", content=clip, headers=key)
    files = front.files()
    second = client.post("/media/upload", content=clip, headers=key)
    assert (second.status_code, second.json()) == (202, first.json())
    assert second.headers["Location"] == first.headers["Location"]
    assert front.files() == files
    assert _event_ids(front) == [first.json()["eventId"]]


def test_a_repeated_form_is_the_same_upload(front, client, clip, key):
    answers = [client.post("/media/upload", files={"file": ("a.mp4", clip, "video/mp4")}, headers=key) for _ in "12"]
    assert answers[0].json() == answers[1].json()
    assert len(_event_ids(front)) == 1


def test_a_repeated_json_upload_is_published_once(front, client, key):
    upload = {"assetId": f"key-{uuid4().hex}", "ownerId": "u-1"}
    answers = [client.post("/media/upload", json=upload, headers=key).json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert _event_ids(front) == [answers[0]["eventId"]]


def test_the_same_key_with_another_body_is_422_and_leaves_nothing(front, client, clip, key):
    client.post("/media/upload", content=clip, headers=key)
    queue_messages(front.amqp_url)
    files = front.files()
    for other in (
        client.post("/media/upload", content=clip + b"x", headers=key),
        client.post("/media/upload", params={"ownerId": "other"}, content=clip, headers=key),
        client.post("/media/upload", json={"assetId": f"a-{uuid4().hex}", "ownerId": "u"}, headers=key),
    ):
        assert other.status_code == 422
        assert other.json()["type"] == "urn:mediaflow:problem:idempotency-key-reused"
    assert front.media_files() == {name for name in files if name.startswith("assets/")}
    assert _event_ids(front) == []


def test_many_at_once_are_one_upload(front, clip, key):
    def upload(_):
        with front.client() as own:
            return own.post("/media/upload", content=clip * 10, headers=key)

    files = front.media_files()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(upload, range(8)))
    assert [answer.status_code for answer in answers] == [202] * 8
    assert len({answer.text for answer in answers}) == 1
    assert len(_event_ids(front)) == 1
    assert len(front.media_files() - files) == 2


def test_many_json_uploads_at_once_are_one(front, key):
    upload = {"assetId": f"key-{uuid4().hex}", "ownerId": "u-1"}

    def send(_):
        with front.client() as own:
            return own.post("/media/upload", json=upload, headers=key)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert len({answer.text for answer in answers}) == 1
    assert len(_event_ids(front)) == 1


def test_a_key_is_known_to_a_server_started_later(start, clip, key):
    first = start()
    with first.client() as client:
        before = client.post("/media/upload", content=clip, headers=key).json()
    assert first.stop() == 0
    second = start()
    with second.client() as client:
        assert client.post("/media/upload", content=clip, headers=key).json() == before
    assert _event_ids(second) == [before["eventId"]]


def test_a_request_that_died_half_way_is_taken_over_with_its_event(front, client, key):
    asset_id = f"died-{uuid4().hex}"
    event = MediaEvent.create(asset_id=asset_id, owner_id="u-1")
    record = Record(fingerprint_of(event, asset_id_given=True), event, "pending", time.time() - 60)
    path = front.store_root / "idempotency" / f"{sha256(key['Idempotency-Key'].encode()).hexdigest()}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record.to_json()))
    answer = client.post("/media/upload", json={"assetId": asset_id, "ownerId": "u-1"}, headers=key)
    assert answer.json()["eventId"] == event.event_id
    assert _event_ids(front) == [event.event_id]
    assert json.loads(path.read_text())["state"] == "confirmed"
    assert (front.store_root / f"simulated/{asset_id}").exists()


def test_an_upload_refused_by_the_broker_can_be_repeated_with_its_key(start, wire, wired_url, clip, key, amqp_url):
    server = start(wired_url, MEDIAFLOW_OUTBOX="off")
    with server.client() as client:
        wire.freeze()
        refused = client.post("/media/upload", content=clip, headers=key)
        assert refused.status_code == 503
        wire.cut()
        wire.mend()
        accepted = until(lambda: _accepted(client.post("/media/upload", content=clip, headers=key)), "acceptance")
    assert accepted["eventId"] == refused.json()["eventId"]
    assert {event["eventId"] for _, event in queue_messages(amqp_url)} == {accepted["eventId"]}


def _accepted(answer):
    return answer.json() if answer.status_code == 202 else None
