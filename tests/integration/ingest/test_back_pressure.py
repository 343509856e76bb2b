"""A capacity is set: uploads are shed as the deepest queue fills, by what the broker says and never silently."""

import re
import socket
import time
from collections import Counter
from uuid import uuid4

import httpx
import pika
import pytest

from ingest_server import until

CAPACITY = 100
MARK = 70


@pytest.fixture
def guarded(start, management_url):
    """Starts an ingest with a small capacity."""
    return lambda **more: start(
        MEDIAFLOW_MANAGEMENT_URL=management_url,
        MEDIAFLOW_INGEST_CAPACITY=str(CAPACITY),
        MEDIAFLOW_INGEST_DEPTH_POLL_S="0.2",
        **more,
    )


@pytest.fixture
def channel(amqp_url):
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        yield channel


def _send(channel, queue, count):
    for _ in range(count):
        channel.basic_publish("", queue, b"{}")


def _depth(channel, queue="media.transcode"):
    return channel.queue_declare(queue, passive=True).method.message_count


def _upload(client, **more):
    return client.post("/media/upload", json={"assetId": f"a-{uuid4().hex}", "ownerId": "u-1"}, **more)


def _refused(answer):
    assert answer.status_code == 429, answer.text
    problem = answer.json()
    assert problem["type"] == "urn:mediaflow:problem:over-capacity"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    return problem


def _metric(server, name):
    found = re.search(rf"^{name} (\S+)$", httpx.get(f"{server.url}/metrics").text, re.MULTILINE)
    return float(found[1]) if found else None


def _until_full(server, client):
    """Wait until every process has seen that the queue is full."""
    in_a_row = 0
    deadline = time.monotonic() + 20
    while in_a_row < 10:
        with server.client() as fresh:  # a connection of its own, so that the other process answers too
            in_a_row = in_a_row + 1 if _upload(fresh).status_code == 429 else 0
        assert time.monotonic() < deadline


def test_a_filling_queue_is_shed_in_proportion_and_never_overfilled(guarded, channel):
    server = guarded()
    with server.client() as client:
        answers = [_upload(client) for _ in range(1000)]
        codes = [answer.status_code for answer in answers]
        assert set(codes) == {202, 429}
        assert set(codes[: MARK - 2]) == {202}
        # The nearer the capacity, the fewer get in: of the first 30 above the mark more than of the next 30.
        above = codes[MARK:]
        assert 30 > Counter(above[:30])[202] > Counter(above[30:60])[202]
        for answer in answers:
            if answer.status_code == 429:
                assert _refused(answer)["capacity"] == CAPACITY
        accepted = codes.count(202)
        assert MARK < accepted <= CAPACITY + 2
        for queue in ("media.thumbnail", "media.transcode", "media.subtitle"):
            assert _depth(channel, queue) == accepted  # what was answered 202 is there, what was refused is not

        assert client.get("/readyz").status_code == 200
        assert _metric(server, "mediaflow_ingest_capacity") == CAPACITY
        assert _metric(server, "mediaflow_ingest_shed_total") == codes.count(429)
        until(lambda: _metric(server, "mediaflow_ingest_deepest_queue_messages") == accepted, "the depth told")
        assert _metric(server, "mediaflow_ingest_accept_fraction") == pytest.approx(
            max(0.0, 1 - (accepted - MARK) / (CAPACITY - MARK))
        )
        assert server.records("shedding_started")[0]["queue"].startswith("media.")

        channel.queue_purge("media.thumbnail")
        channel.queue_purge("media.transcode")
        assert _upload(client).status_code in (202, 429)  # the third one is full still
        channel.queue_purge("media.subtitle")
        until(lambda: [_upload(client).status_code for _ in range(3)] == [202] * 3, "acceptance")


def test_a_full_dead_letter_queue_does_not_count_and_a_fourth_channels_queue_does(guarded, channel):
    server = guarded()
    _send(channel, "media.transcode.dlq", CAPACITY)
    with server.client() as client:
        assert [_upload(client).status_code for _ in range(20)] == [202] * 20
        channel.queue_declare("media.preview", durable=True, arguments={"x-queue-type": "quorum"})
        channel.queue_bind("media.preview", "media.topic", "media.*")
        _send(channel, "media.preview", CAPACITY)
        _until_full(server, client)
        channel.queue_delete("media.preview")
        until(lambda: _upload(client).status_code == 202, "acceptance")


def test_a_large_body_is_refused_before_it_is_read(guarded, channel):
    server = guarded()
    _send(channel, "media.transcode", CAPACITY)
    with server.client() as client:
        _until_full(server, client)
        for body in (b"x" * 1000, b"x" * 3_000_000):
            _refused(client.post("/media/upload", content=body))  # small ones are read away: the connection lives on
        _refused(client.post("/media/upload", files={"file": ("a.mp4", b"x" * 100_000, "video/mp4")}))
    with server.connect() as connection:
        connection.sendall(
            b"POST /media/upload HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\nContent-Length: 1073741824\r\n\r\n"
        )
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 429 ")
        with pytest.raises(OSError):
            for _ in range(1000):
                connection.sendall(b"x" * 1_000_000)
    assert {key for key in server.media_files() if "/source" in key} == set()


def test_a_burst_must_fit_into_what_is_left(guarded, channel):
    server = guarded()
    with server.client() as client:
        assert client.post("/media/burst", json={"count": 60}).status_code == 202
        for _ in range(4):  # whichever process answers
            with server.client() as fresh:
                assert _refused(fresh.post("/media/burst", json={"count": 41}))["left"] == 40
        assert client.post("/media/burst", json={"count": 40}).status_code == 202
        assert _refused(client.post("/media/burst", json={"count": 1}))["left"] == 0
        assert "never fits" in _refused(client.post("/media/burst", json={"count": CAPACITY + 1}))["detail"]
        assert _depth(channel) == 100


def test_the_repetition_of_an_accepted_upload_is_answered_though_the_queue_is_full(guarded, channel, clip):
    server = guarded()
    with server.client() as client:
        uploads = (
            {"json": {"assetId": "a-1", "ownerId": "u-1"}, "headers": {"Idempotency-Key": "json"}},
            {"content": clip, "headers": {"Idempotency-Key": "raw", "Content-Type": "video/mp4"}},
            {"files": {"file": ("a.mp4", clip, "video/mp4")}, "headers": {"Idempotency-Key": "form"}},
        )
        first = [client.post("/media/upload", **upload) for upload in uploads]
        assert [answer.status_code for answer in first] == [202] * 3
        _send(channel, "media.transcode", CAPACITY)
        _until_full(server, client)
        again = [client.post("/media/upload", **upload) for upload in uploads]
        assert [answer.status_code for answer in again] == [202] * 3
        assert [answer.json() for answer in again] == [answer.json() for answer in first]
        assert _depth(channel, "media.thumbnail") == _depth(channel) - CAPACITY
        reused = client.post("/media/upload", content=clip + b"x", headers={"Idempotency-Key": "raw"})
        assert reused.status_code == 422


def test_the_wait_is_told_by_how_fast_the_queue_drains(guarded, channel):
    server = guarded(MEDIAFLOW_INGEST_WORKERS="1")
    # So many that the queue stays full while it drains, however fast or slowly this machine takes from it.
    _send(channel.connection.channel(), "media.transcode", 6000)
    with server.client() as client:
        _until_full(server, client)
        assert _upload(client).headers["Retry-After"] == "60"
        waits = []

        def drained():
            for _ in range(20):
                channel.basic_get("media.transcode", auto_ack=True)
            answer = _upload(client)
            waits.append(int(answer.headers.get("Retry-After", 0)))
            return 0 < waits[-1] < 60

        until(drained, "a wait by the drain")


def test_broker_trouble_is_still_503_and_passes(guarded, start, wire, wired_url, management_url, channel):
    settings = {"MEDIAFLOW_MANAGEMENT_URL": management_url, "MEDIAFLOW_INGEST_CAPACITY": str(CAPACITY)}
    server = start(wired_url, MEDIAFLOW_OUTBOX="off", **settings)
    with server.client() as client:
        assert _upload(client).status_code == 202
        wire.cut()
        until(lambda: _upload(client).status_code == 503, "the refusal")
        until(lambda: len(server.records("depth_poll_failed")) == 2, "both processes' word of it")
        wire.mend()
        until(lambda: _upload(client).status_code == 202, "acceptance")
        until(lambda: len(server.records("depth_poll_recovered")) == 2, "both processes' word of it")
        assert _metric(server, "mediaflow_ingest_depth_poll_failures_total") > 0
        assert len(server.records("depth_poll_failed")) == 2
        _send(channel, "media.transcode", CAPACITY)
        _until_full(server, client)


def test_a_capacity_without_the_management_api_exits_2_and_says_what_is_missing(start):
    server = start(ready=False, MEDIAFLOW_INGEST_CAPACITY="100")
    assert server.process.wait(20) == 2
    assert "MEDIAFLOW_MANAGEMENT_URL" in server.log()
    assert "Traceback" not in server.log()


def test_it_stops_in_good_time(guarded):
    server = guarded()
    started = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - started < 5
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), timeout=1)
