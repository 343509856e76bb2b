"""Uploads and files of assets go through the console as they are, against a real ingest on a local store and on S3."""

import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil
import pytest

from console_process import ConsoleProcess
from ingest_server import IngestServer, until
from s3_service import S3Service

CLIP = bytes(range(256)) * 300
GIB = 1024**3
QUARTER = GIB // 4
GENERIC = "application/octet-stream"
PIECE = bytes(1024 * 1024)


class Browser:
    """What a page of the console can do."""

    def __init__(self, console: ConsoleProcess) -> None:
        self.client = httpx.Client(base_url=console.url, headers={"Sec-Fetch-Site": "same-origin"}, timeout=120)
        page = self.client.get("/assets", headers={"Accept": "text/html"})
        assert page.status_code == 200, page.text
        found = re.search(r'name="csrf-token" content="([^"]+)"', page.text)
        assert found
        self.token = {"X-CSRFToken": found[1], "Referer": f"{console.url}/assets"}

    def upload(self, content=CLIP, key=None, **headers):
        sent = {"Content-Type": "video/mp4"} | self.token | ({"Idempotency-Key": key} if key else {}) | headers
        return self.client.post("/uploads?filename=Evening%20walk.mp4&ownerId=ann", content=content, headers=sent)

    def get(self, path, **headers):
        return self.client.get(path, headers=headers)


@pytest.fixture(scope="module")
def ingest(module_amqp_url, tmp_path_factory) -> Iterator[IngestServer]:
    settings = {"MEDIAFLOW_INGEST_WORKERS": "1", "MEDIAFLOW_STORE_FSYNC": "false"}
    limits = {"MEDIAFLOW_INGEST_MAX_UPLOAD_BYTES": str(GIB), "MEDIAFLOW_INGEST_READ_TIMEOUT_S": "5"}
    server = IngestServer(tmp_path_factory.mktemp("ingest"), module_amqp_url, **settings, **limits)
    yield server.await_ready()
    server.stop()


@pytest.fixture(scope="module")
def console(ingest, module_amqp_url, broker, tmp_path_factory) -> Iterator[ConsoleProcess]:
    folder = tmp_path_factory.mktemp("console")
    settings = {"MEDIAFLOW_CONSOLE_INGEST_URL": ingest.url}
    process = ConsoleProcess(folder, module_amqp_url, broker.management_url, **settings)
    yield process.await_ready()
    process.stop()


@pytest.fixture(scope="module")
def browser(console) -> Iterator[Browser]:
    browser = Browser(console)
    yield browser
    browser.client.close()


def _raw_upload(browser, console, size):
    """Begin an upload of so many bytes by hand; gives the connection, on which none of them were sent yet."""
    cookies = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
    head = {"Host": f"localhost:{console.port}", "Content-Length": str(size), "Content-Type": "video/mp4"}
    head |= {"Sec-Fetch-Site": "same-origin", "Cookie": cookies} | browser.token
    lines = ["POST /uploads HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
    connection = socket.create_connection(("127.0.0.1", console.port), timeout=30)
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
    return connection


@contextmanager
def _memory_stays_flat(console):
    before = console.memory_bytes()
    yield
    assert console.memory_bytes() - before < 48 * 1024 * 1024


def _finish(put, asset_id, outputs):
    for name, content in outputs.items():
        put(f"assets/{asset_id}/transcode/{name}", content)
    listed = [{"name": name, "size": len(content)} for name, content in outputs.items()]
    result = {"eventId": "e", "channel": "transcode", "outputs": listed, "details": {}, "attempt": 1}
    put(f"assets/{asset_id}/transcode/result.json", json.dumps(result).encode())


def _put_file(ingest):
    def put(key, content):
        path = ingest.store_root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    return put


def test_an_upload_is_ingests_own_and_leads_to_the_assets_page(browser):
    answer = browser.upload()
    assert answer.status_code == 202
    asset_id = answer.json()["assetId"]
    assert answer.headers["Location"] == f"/assets/{asset_id}"
    page = browser.get(answer.headers["Location"], Accept="text/html")
    assert "Evening walk.mp4" in page.text
    assert browser.get(f"/assets/{asset_id}/source").content == CLIP


def test_the_same_key_gives_the_same_event_and_another_body_is_refused(browser):
    first, second = browser.upload(key="k-1"), browser.upload(key="k-1")
    assert first.json()["eventId"] == second.json()["eventId"]
    other = browser.upload(b"x" * 10, key="k-1")
    assert (other.status_code, other.headers["Content-Type"]) == (422, "application/problem+json")
    assert other.json()["type"] == "urn:mediaflow:problem:idempotency-key-reused"


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("text/html", "not-media"),
        ("application/json", "not-media"),
        ("multipart/form-data; boundary=x", "not-media"),
        ("application/x-www-form-urlencoded", "not-media"),
    ],
)
def test_what_is_not_a_file_as_it_is_goes_nowhere(browser, ingest, content_type, kind):
    before = ingest.media_files()
    answer = browser.upload(b'{"assetId": "a", "ownerId": "u"}', **{"Content-Type": content_type})
    assert (answer.status_code, answer.json()["type"]) == (415, f"urn:mediaflow:problem:{kind}")
    assert ingest.media_files() == before


def test_a_file_that_is_too_large_is_refused_before_it_is_sent_whole(browser, console):
    with _raw_upload(browser, console, GIB + 1) as connection:
        for _ in range(80):
            connection.sendall(PIECE)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1024).startswith(b"HTTP/1.1 413 ")


def test_an_upload_without_the_pages_token_is_refused(browser):
    answer = browser.upload(**{"X-CSRFToken": "wrong"})
    assert answer.json()["type"] == "urn:mediaflow:problem:csrf-token"
    assert answer.headers["Connection"] == "close", "its body was not read: the next request needs another connection"


def test_parts_of_a_file_are_given_as_ingest_gives_them(browser, ingest):
    asset_id = browser.upload().json()["assetId"]
    _finish(_put_file(ingest), asset_id, {"720p/0.m4s": CLIP, "720p/index.m3u8": b"#EXTM3U\n"})
    path = f"/assets/{asset_id}/files/transcode/720p/0.m4s"
    whole = browser.get(path)
    assert (whole.status_code, whole.content, whole.headers["Content-Type"]) == (200, CLIP, "video/iso.segment")
    assert whole.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    part = browser.get(path, Range="bytes=100-199")
    assert (part.status_code, part.content) == (206, CLIP[100:200])
    assert part.headers["Content-Range"] == f"bytes 100-199/{len(CLIP)}"
    assert browser.get(path, Range="bytes=-5").content == CLIP[-5:]
    beyond = browser.get(path, Range=f"bytes={len(CLIP)}-")
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{len(CLIP)}")
    assert browser.get(path, **{"If-None-Match": whole.headers["ETag"]}).status_code == 304
    head = browser.client.head(path)
    assert (head.status_code, head.headers["Content-Length"], head.content) == (200, str(len(CLIP)), b"")
    assert browser.get(f"/assets/{asset_id}/files/transcode/720p/index.m3u8").text == "#EXTM3U\n"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/{}/files/transcode/result.json",
        "/assets/{}/files/transcode/..%2F..%2Fasset.json",
        "/assets/{}/files/..%2F..%2Fmetrics/x",
        "/assets/..%2F..%2Fmetrics/source",
        "/assets/none/source",
    ],
)
def test_nothing_but_outputs_can_be_reached(browser, ingest, path):
    asset_id = browser.upload().json()["assetId"]
    _finish(_put_file(ingest), asset_id, {"a.vtt": b"WEBVTT\n"})
    assert browser.get(path.format(asset_id)).status_code == 404


def test_a_page_that_calls_itself_a_video_is_saved_under_a_harmless_name(browser):
    page = b"<script>alert(1)</script>"
    sent = {"Content-Type": "video/mp4"} | browser.token
    names = {"filename": '"><script>.html', "ownerId": "<b>x</b>"}
    uploaded = browser.client.post("/uploads", params=names, content=page, headers=sent)
    asset_id = uploaded.json()["assetId"]
    source = browser.get(f"/assets/{asset_id}/source")
    assert source.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in source.headers["Content-Security-Policy"]
    for path in ("/assets", f"/assets/{asset_id}"):
        shown = browser.get(path, Accept="text/html").text
        assert "<script>.html" not in shown
        assert "<b>x</b>" not in shown


def test_a_gibibyte_comes_out_in_flat_memory(browser, console, ingest):
    asset_id = browser.upload().json()["assetId"]
    os.truncate(ingest.store_root / f"assets/{asset_id}/source", GIB)
    with _memory_stays_flat(console), browser.client.stream("GET", f"/assets/{asset_id}/source") as answer:
        received = sum(len(piece) for piece in answer.iter_raw(1024 * 1024))
    assert received == GIB


def test_a_quarter_of_one_goes_in_in_flat_memory(browser, console, ingest):
    with _memory_stays_flat(console):
        answer = browser.upload((PIECE for _ in range(256)), **{"Content-Length": str(QUARTER)})
    assert answer.status_code == 202, answer.text
    source = ingest.store_root / f"assets/{answer.json()['assetId']}/source"
    assert source.stat().st_size == QUARTER
    source.unlink()


def _connections(console, ingest):
    children = psutil.Process(console.process.pid).children(recursive=True)
    open_ones = (each for child in children for each in child.net_connections("tcp"))
    return sum(
        1 for each in open_ones if each.raddr and each.raddr.port == ingest.port and each.status == "ESTABLISHED"
    )


def test_somebody_who_goes_away_in_the_middle_of_a_file_leaves_nothing_busy(browser, console, ingest):
    asset_id = browser.upload().json()["assetId"]
    os.truncate(ingest.store_root / f"assets/{asset_id}/source", GIB)
    before = _connections(console, ingest)
    with browser.client.stream("GET", f"/assets/{asset_id}/source") as answer:
        next(answer.iter_raw(1024))
    until(lambda: _connections(console, ingest) <= before, "the connection's end")


def test_an_upload_that_breaks_off_leaves_nothing(browser, console, ingest):
    before = ingest.media_files()
    with _raw_upload(browser, console, 1_000_000) as connection:
        connection.sendall(bytes(500_000))
        until(lambda: _connections(console, ingest) > 0, "the upload's way to ingest")
    until(lambda: "upload_broken_off" in console.log(), "the console's word")
    until(lambda: ingest.media_files() == before, "the end of what was begun")


def test_without_ingest_the_pages_say_so(module_amqp_url, broker, tmp_path):
    settings = {"MEDIAFLOW_CONSOLE_INGEST_URL": "http://127.0.0.1:1"}
    console = ConsoleProcess(tmp_path, module_amqp_url, broker.management_url, **settings).await_ready()
    try:
        page = httpx.get(f"{console.url}/assets", headers={"Accept": "text/html"}, timeout=30)
        assert (page.status_code, "can&#39;t be reached" in page.text) == (503, True)
        one = httpx.get(f"{console.url}/assets/a-1", headers={"Accept": "text/html"}, timeout=30)
        assert (one.status_code, "127.0.0.1:1" in one.text) == (503, True)
    finally:
        console.stop()


@pytest.fixture
def s3() -> Iterator[S3Service]:
    service = S3Service()
    service.make_bucket()
    yield service
    service.close()


def test_files_in_an_s3_store_come_from_the_consoles_own_address(s3, module_amqp_url, broker, tmp_path):
    settings = {"MEDIAFLOW_STORE_URL": s3.url, "MEDIAFLOW_INGEST_WORKERS": "1"} | s3.environment()
    ingest = IngestServer(tmp_path, module_amqp_url, **settings)
    own = {"MEDIAFLOW_CONSOLE_INGEST_URL": f"{ingest.url}/"}
    console = ConsoleProcess(tmp_path, module_amqp_url, broker.management_url, **own)
    try:
        ingest.await_ready()
        console.await_ready()
        browser = Browser(console)
        asset_id = browser.upload().json()["assetId"]

        def put(key, content):
            s3.client.put_object(Bucket=s3.bucket, Key=f"media/flow/{key}", Body=content, ContentType="text/html")

        _finish(put, asset_id, {"720p/0.m4s": CLIP, "master.m3u8": b"#EXTM3U\n"})
        assert httpx.get(f"{ingest.url}/media/{asset_id}/transcode/720p/0.m4s").status_code == 307
        path = f"/assets/{asset_id}/files/transcode/720p/0.m4s"
        whole = browser.get(path)
        # The store says that it is a page; it is saved then, whoever put it there.
        assert (whole.status_code, whole.content, whole.headers["Content-Type"]) == (
            200,
            CLIP,
            "application/octet-stream",
        )
        part = browser.get(path, Range="bytes=10-19")
        assert (part.status_code, part.content) == (206, CLIP[10:20])
        assert browser.client.head(path).headers["Content-Length"] == str(len(CLIP))
        playlist = browser.get(f"/assets/{asset_id}/files/transcode/master.m3u8")
        assert playlist.headers["Content-Type"] == "application/vnd.apple.mpegurl"
        assert browser.get(f"/assets/{asset_id}/source").content == CLIP
    finally:
        console.stop()
        ingest.stop()
