"""Uploads that are refused: each with its problem, and nothing left behind."""

import json
import socket
import time

import pytest

from ingest_server import queue_messages, until

HEAD = "POST /media/upload HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\n"


@pytest.fixture(autouse=True)
def nothing_left_behind(front):
    before = front.files()
    queue_messages(front.amqp_url)
    yield
    assert front.files() == before
    assert queue_messages(front.amqp_url) == []


def _problem(answer, status, slug):
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:mediaflow:problem:{slug}"
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    assert problem["instance"] == answer.request.url.path
    return problem


def _raw(front, data: bytes, *, half_close: bool = False) -> tuple[int, dict]:
    """Send bytes as they are; give status and problem."""
    with front.connect() as connection:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
            head, found, body = answer.partition(b"\r\n\r\n")
            if found and len(body) >= int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]):
                break
    assert b"application/problem+json" in head, answer
    return int(head.split()[1]), json.loads(body)


def test_zero_bytes_are_400(client):
    _problem(client.post("/media/upload", content=b"", headers={"Content-Type": "video/mp4"}), 400, "empty-upload")
    form = {"file": ("empty.mp4", b"", "video/mp4")}
    _problem(client.post("/media/upload", files=form), 400, "empty-upload")


def test_over_the_limit_with_a_length_is_413(client):
    problem = _problem(client.post("/media/upload", content=b"x" * 1_000_001), 413, "too-large")
    assert problem["limitBytes"] == 1_000_000


def test_over_the_limit_in_chunks_is_413(client):
    pieces = (b"x" * 100_000 for _ in range(11))
    _problem(client.post("/media/upload", content=pieces), 413, "too-large")


def test_over_the_limit_in_a_form_is_413(client):
    _problem(client.post("/media/upload", files={"file": ("a.mp4", b"x" * 1_000_001, "video/mp4")}), 413, "too-large")


def test_a_huge_announced_length_is_413_before_a_byte_is_sent(front):
    status, problem = _raw(front, (HEAD + "Content-Length: 99999999999999\r\n\r\n").encode())
    assert (status, problem["limitBytes"]) == (413, 1_000_000)


def test_an_endless_chunked_body_is_413_and_not_read_for_ever(front):
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with front.connect() as connection:
        connection.sendall((HEAD + "Transfer-Encoding: chunked\r\n\r\n").encode())
        sent = 0
        try:
            while sent < 200_000_000:
                connection.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
    assert sent < 100_000_000


def test_exactly_the_limit_is_not_over_it(front, client):
    # With an assetId that a simulated asset has, so that this one is not accepted for another reason.
    client.post("/media/upload", json={"assetId": "limit-1", "ownerId": "u-1"})
    try:
        answer = client.post("/media/upload", params={"assetId": "limit-1"}, content=b"x" * 1_000_000)
        assert answer.status_code == 409
    finally:
        for key in front.files():
            if key.startswith(("simulated/", "index/")):
                (front.store_root / key).unlink()
        queue_messages(front.amqp_url)


@pytest.mark.parametrize(
    "framing",
    [
        f"Content-Length: 50000\r\n\r\n{'x' * 20000}",
        f"Transfer-Encoding: chunked\r\n\r\n{20000:x}\r\n{'x' * 20000}\r\n",
    ],
    ids=["length", "chunked"],
)
def test_an_upload_broken_off_half_way_leaves_nothing(front, framing):
    refused = len(front.records("request_refused"))
    with front.connect() as connection:
        connection.sendall((HEAD + framing).encode())
    until(lambda: len(front.records("request_refused")) > refused, "the refusal")
    assert front.records("request_refused")[-1]["problem"] in ("upload-broken-off", "malformed-request")


def test_a_form_broken_off_half_way_leaves_nothing(front):
    body = b'--sep\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n' + b"x" * 20000
    head = HEAD.replace("video/mp4", "multipart/form-data; boundary=sep") + "Content-Length: 50000\r\n\r\n"
    status, problem = _raw(front, head.encode() + body, half_close=True)
    assert (status, problem["type"].rpartition(":")[2]) == (400, "upload-broken-off")


def test_a_form_without_its_end_leaves_nothing(client):
    body = b'--sep\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n' + b"x" * 20000
    answer = client.post("/media/upload", content=body, headers={"Content-Type": "multipart/form-data; boundary=sep"})
    _problem(answer, 400, "malformed-request")


@pytest.mark.parametrize(("announced", "came"), [(100, 60), (900_000, 500_000)])
def test_a_shorter_body_than_announced_says_how_much_came(front, announced, came):
    head = f"{HEAD}Content-Length: {announced}\r\n\r\n"
    status, problem = _raw(front, head.encode() + b"x" * came, half_close=True)
    assert status == 400
    assert f"{announced} bytes were announced and {came} came" in problem["detail"]


@pytest.mark.parametrize(("announced", "came"), [(50_000, 3), (900_000, 300_000)])
def test_an_upload_that_stops_moving_is_given_up(front, announced, came):
    started = time.monotonic()
    status, _ = _raw(front, f"{HEAD}Content-Length: {announced}\r\n\r\n".encode() + b"x" * came)
    assert status == 408
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "framing",
    [
        "Content-Length: -1\r\n\r\n",
        "Content-Length: many\r\n\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n\r\nxxxx",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\nxx\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-5\r\nxx\r\n",
        "Transfer-Encoding: gzip\r\n\r\n",
        "Bad Header\r\n\r\n",
        f"X-Long: {'x' * 20000}\r\n\r\n",
    ],
    ids=lambda framing: framing[:30].strip(),
)
def test_what_is_no_http_is_a_problem_too(front, framing):
    status, problem = _raw(front, (HEAD + framing).encode())
    assert 400 <= status < 502
    assert status != 500
    assert problem["status"] == status


def test_a_request_line_that_is_none_is_a_problem_too(front):
    assert _raw(front, b"nonsense\r\n\r\n")[0] == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[1]",
        b"null",
        b'{"assetId": "\xff", "ownerId": "u"}',
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"assetId": "a", "ownerId": "u", "durationSec": NaN}',
        b'{"assetId": "a", "ownerId": "u", "durationSec": Infinity}',
        b'{"assetId": "a", "assetId": "b", "ownerId": "u"}',
        b"{",
    ],
    ids=lambda body: repr(body[:30]),
)
def test_json_that_is_no_clean_object_is_400(client, body):
    answer = client.post("/media/upload", content=body, headers={"Content-Type": "application/json"})
    _problem(answer, 400, "malformed-request")


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"assetId": "a"},
        {"assetId": "../a", "ownerId": "u"},
        {"assetId": 5, "ownerId": "u"},
        {"assetId": "a", "ownerId": None},
        {"assetId": "a", "ownerId": "u", "durationSec": "long"},
        {"assetId": "a", "ownerId": "u", "durationSec": 10**400},
        {"assetId": "a", "ownerId": "u", "durationSec": -1},
    ],
    ids=str,
)
def test_json_with_wrong_fields_is_422_and_names_them(client, values):
    answer = client.post(
        "/media/upload", content=json.dumps(values).encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422)
    if answer.status_code == 422:
        assert _problem(answer, 422, "invalid-fields")["errors"]


def test_a_large_json_body_is_413(client):
    answer = client.post("/media/upload", content=b" " * 100_000, headers={"Content-Type": "application/json"})
    _problem(answer, 413, "too-large")


@pytest.mark.parametrize("content_type", ["text/plain", "text/html", "image/png", "application/vnd.apple.mpegurl"])
def test_what_is_not_media_is_415(client, content_type):
    answer = client.post("/media/upload", content=b"x", headers={"Content-Type": content_type})
    _problem(answer, 415, "not-media")
    form = {"file": ("a.txt", b"x", content_type)}
    _problem(client.post("/media/upload", files=form), 415, "not-media")


def test_a_compressed_body_is_415(client):
    answer = client.post("/media/upload", content=b"x", headers={"Content-Encoding": "gzip"})
    _problem(answer, 415, "not-media")


@pytest.mark.parametrize(
    "query",
    ["assetId=../x", "assetId=a/b", "durationSec=x", "durationSec=nan", "durationSec=-1", "ownerId=" + "o" * 129],
)
def test_wrong_fields_in_the_query_are_422(client, clip, query):
    _problem(client.post(f"/media/upload?{query}", content=clip), 422, "invalid-fields")


def test_another_sites_page_may_not_upload(client, clip):
    answer = client.post("/media/upload", content=clip, headers={"Sec-Fetch-Site": "cross-site"})
    _problem(answer, 403, "cross-site-request")


def test_a_bad_idempotency_key_is_400(client, clip):
    _problem(client.post("/media/upload", content=clip, headers={"Idempotency-Key": ""}), 400, "malformed-request")


def test_other_methods_and_addresses_are_problems_too(client):
    answer = client.put("/media/upload", content=b"x")
    _problem(answer, 405, "method-not-allowed")
    assert "POST" in answer.headers["Allow"]
    _problem(client.get("/nowhere"), 404, "not-found")
    _problem(client.post("/media", content=b"x"), 405, "method-not-allowed")
    _problem(client.get("/media/no-such-asset"), 404, "asset-not-found")
    _problem(client.get("/static/../app.py"), 404, "not-found")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"count": 0}', b'{"count": 100001}', b'{"count": "5"}', b'{"count": 1.5}', b"{}"]
)
def test_a_burst_of_nonsense_is_refused(client, body):
    answer = client.post("/media/burst", content=body)
    assert answer.status_code in (400, 422)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_slow_uploads_leave_threads_for_everybody_else(start):
    server = start(MEDIAFLOW_INGEST_WORKERS="1", MEDIAFLOW_INGEST_THREADS="6")
    slow = [server.connect() for _ in range(2)]
    try:
        for connection in slow:
            connection.sendall((HEAD + "Content-Length: 50000\r\n\r\nx").encode())
        with server.client() as client:
            until(lambda: "mediaflow_ingest_uploads_receiving 2.0" in client.get("/metrics").text, "two uploads")
            _problem(client.post("/media/upload", content=b"x"), 503, "too-many-uploads")
            assert client.get("/healthz").status_code == 200
            assert client.post("/media/upload", json={"assetId": "a", "ownerId": "u"}).status_code == 202
    finally:
        for connection in slow:
            connection.close()


def test_a_large_body_that_is_refused_unread_ends_its_connection_and_says_so(client):
    answer = client.post("/media/upload", content=bytes(200_000), headers={"Content-Type": "text/plain"})
    _problem(answer, 415, "not-media")
    assert answer.headers["Connection"] == "close"
    small = client.post("/media/upload", content=bytes(2_000), headers={"Content-Type": "text/plain"})
    assert small.headers["Connection"] == "keep-alive"
