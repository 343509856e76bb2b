"""JSON uploads one after the other on connections that are kept: what is promised holds there too."""

import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from uuid import uuid4

import pika
import pytest
from kept_connection import KeptConnection, asset, upload_bytes

from ingest_server import queue_messages, until
from mq_common.channels import load_channels

BOUND_S = 5.5


def _connections(server, count):
    stack = ExitStack()
    return stack, [stack.enter_context(KeptConnection(server)) for _ in range(count)]


def _all_at_once(connections, bodies):
    """Send one body on each connection at the same moment and give the replies."""
    ready = Barrier(len(connections))

    def post(connection, body):
        ready.wait()
        return connection.post(body)

    with ThreadPoolExecutor(len(connections)) as pool:
        return list(pool.map(post, connections, bodies))


def test_an_upload_is_stored_published_listed_counted_and_logged(start):
    server = start()
    trace_id = uuid4().hex
    with KeptConnection(server) as kept, server.client() as client:
        for number in range(5):
            status, headers, accepted = kept.post(
                asset(f"lane-{number}", durationSec=2), traceparent=f"00-{trace_id}-{'1' * 16}-01"
            )
            assert (status, accepted["status"]) == (202, "queued")
            assert headers["location"] == f"/media/lane-{number}"
            assert (headers["connection"], headers["content-type"]) == ("keep-alive", "application/json")
            assert headers["date"].endswith(" GMT")
        for number, (properties, event) in enumerate(queue_messages(server.amqp_url)):
            assert event["assetId"] == f"lane-{number}"
            assert properties.headers["traceparent"].split("-")[1] == trace_id
            view = client.get(f"/media/{event['assetId']}").json()
            assert (view["eventId"], view["durationSec"]) == (event["eventId"], 2.0)
        everything = {f"lane-{number}" for number in range(5)}
        until(lambda: {each["assetId"] for each in client.get("/media").json()["assets"]} == everything, "the list")
        metrics = client.get("/metrics").text
        assert 'mediaflow_ingest_uploads_total{form="json"} 5.0' in metrics
        assert 'mediaflow_published_total{outcome="confirmed"} 5.0' in metrics
    logged = server.records("upload_accepted")
    assert [each["asset_id"] for each in logged] == [f"lane-{number}" for number in range(5)]
    assert {each["trace_id"] for each in logged} == {trace_id}


def test_the_same_asset_again_is_the_same_event_in_every_process_and_after_a_restart(start):
    server, seen = start(), set()
    stack, connections = _connections(server, 8)
    with stack:
        replies = [connection.post(asset("again", durationSec=3)) for connection in connections]
        assert {reply[0] for reply in replies} == {202}
        seen = {reply[2]["eventId"] for reply in replies}
        assert len(seen) == 1
        others = [connection.post(asset("again", durationSec=4)) for connection in connections]
        assert {(reply[0], reply[2]["type"]) for reply in others} == {(409, "urn:mediaflow:problem:asset-conflict")}
    assert server.stop() == 0
    with KeptConnection(start()) as kept:
        assert kept.post(asset("again", durationSec=3))[2]["eventId"] in seen
        assert kept.post(asset("again", durationSec=4))[0] == 409


def test_of_many_clients_with_one_id_at_once_one_content_wins(start):
    server = start()
    stack, connections = _connections(server, 16)
    with stack:
        for attempt in range(5):
            same = _all_at_once(connections, [asset(f"same-{attempt}")] * 16)
            assert {reply[0] for reply in same} == {202}
            assert len({reply[2]["eventId"] for reply in same}) == 1
            bodies = [asset(f"one-{attempt}", durationSec=number) for number in range(16)]
            statuses = Counter(reply[0] for reply in _all_at_once(connections, bodies))
            assert statuses == {202: 1, 409: 15}


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        (b'{"assetId": "x", "ownerId"', 400, "malformed-request"),
        (b"[1]", 400, "malformed-request"),
        (b'{"assetId": "x", "ownerId": "u", "durationSec": NaN}', 400, "malformed-request"),
        (b'{"assetId": "x", "assetId": "y", "ownerId": "u"}', 400, "malformed-request"),
        (b'{"assetId": "\xff", "ownerId": "u"}', 400, "malformed-request"),
        (b'{"assetId": "../x", "ownerId": "u"}', 422, "invalid-fields"),
        (b'{"assetId": "x", "ownerId": "u", "durationSec": "1"}', 422, "invalid-fields"),
    ],
)
def test_a_bad_upload_is_a_problem_and_the_connection_stays(front, body, status, slug):
    with KeptConnection(front) as kept:
        found, headers, problem = kept.post(body)
        assert (found, problem["type"]) == (status, f"urn:mediaflow:problem:{slug}")
        assert headers["content-type"] == "application/problem+json"
        assert kept.post(asset(f"good-{uuid4().hex}"))[0] == 202


def test_requests_sent_without_waiting_are_answered_in_their_order(front):
    ids = [f"piped-{uuid4().hex}" for _ in range(20)]
    with KeptConnection(front) as kept:
        for asset_id in ids[:10]:
            kept.send(asset(asset_id))
        kept.socket.sendall(b"".join(upload_bytes(asset(asset_id)) for asset_id in ids[10:]))
        assert [kept.reply()[2]["assetId"] for _ in ids] == ids


def test_a_request_in_small_pieces_and_one_with_a_key_are_taken_as_well(front):
    with KeptConnection(front) as kept:
        whole = upload_bytes(asset(f"pieces-{uuid4().hex}"))
        for begin in range(0, len(whole), 40):
            kept.socket.sendall(whole[begin : begin + 40])
        assert kept.reply()[0] == 202
        key, body = uuid4().hex, asset(f"key-{uuid4().hex}")
        once, again = (kept.post(body, **{"Idempotency-Key": key})[2] for _ in range(2))
        assert once == again


@pytest.mark.parametrize("outbox", ["on", "off"])
def test_uploads_that_wait_for_the_broker_take_no_thread_and_end_within_the_bound(start, wire, wired_url, outbox):
    settings = {"MEDIAFLOW_INGEST_WORKERS": "1", "MEDIAFLOW_INGEST_THREADS": "5"}
    server = start(wired_url, MEDIAFLOW_OUTBOX=outbox, **settings)
    stack, connections = _connections(server, 40)
    with stack, server.client() as client:
        wire.freeze()
        began = time.monotonic()
        for number, connection in enumerate(connections):
            connection.send(asset(f"frozen-{number}"))
        assert client.get("/healthz").status_code == 200
        assert time.monotonic() - began < BOUND_S / 2
        replies = [connection.reply() for connection in connections]
        assert time.monotonic() - began < BOUND_S
        told = {(reply[0], reply[2].get("type") or reply[2]["status"]) for reply in replies}
        assert told == {(202, "accepted") if outbox == "on" else (503, "urn:mediaflow:problem:not-confirmed")}
        wire.mend()
        until(lambda: connections[0].post(asset("frozen-0"))[0] == 202, "acceptance")
        # A kept connection finds what waits: repeated before and after the relay, the event is the same one.
        if outbox == "on":
            events = {reply[2]["assetId"]: reply[2]["eventId"] for reply in replies}
            until(lambda: not [key for key in server.files() if key.startswith("outbox/")], "the relay", 30)
            again = connections[0].post(asset("frozen-1"))[2]
            assert again["eventId"] == events["frozen-1"]


def test_without_queues_an_upload_is_unroutable(start, amqp_url):
    server = start()
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        for spec in load_channels().values():
            connection.channel().queue_delete(spec.queue)
    with KeptConnection(server) as kept:
        for _ in range(2):
            status, headers, problem = kept.post(asset("nowhere"))
            assert (status, problem["type"]) == (503, "urn:mediaflow:problem:unroutable")
            assert int(headers["retry-after"]) > 0


def test_a_client_that_leaves_before_its_answer_disturbs_nobody(start, wire, wired_url):
    server = start(wired_url, MEDIAFLOW_INGEST_WORKERS="1")
    stack, connections = _connections(server, 6)
    with stack:
        wire.freeze()
        for number, connection in enumerate(connections):
            connection.send(asset(f"left-{number}"))
        for connection in connections[:5]:
            connection.socket.close()
        wire.mend()
        assert connections[5].reply()[0] == 202
        assert connections[5].post(asset("after"))[0] == 202
    until(lambda: len(server.records("upload_accepted")) == 7, "every upload's end")
    assert not server.records("request_failed")


def test_sigterm_lets_uploads_that_wait_for_the_broker_end_and_exits_0(start, wire, wired_url):
    server = start(wired_url, MEDIAFLOW_INGEST_WORKERS="1")
    stack, (idle, *connections) = _connections(server, 4)
    with stack:
        wire.freeze()
        for number, connection in enumerate(connections):
            connection.send(asset(f"last-{number}"))
        until(lambda: sum(key.startswith("simulated/last-") for key in server.files()) == 3, "the uploads' records")
        server.process.send_signal(signal.SIGTERM)
        assert idle.at_end()  # it has begun to stop
        wire.mend()
        for connection in connections:
            status, headers, _ = connection.reply()
            assert (status, headers["connection"]) == (202, "close")
            assert connection.at_end()
    assert server.process.wait(20) == 0
