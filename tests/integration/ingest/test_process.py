"""The process: how it starts, what it reports, how it ends."""

import os
import re
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import pika
import pytest
from openapi_spec_validator import validate

from ingest_server import queue_messages, until
from mq_common.channels import load_channels
from mq_common.topology import queue_arguments


def _metric(server, name, **labels):
    """Sum of a metric's samples with these labels, as a scrape sees it."""
    total = 0.0
    for line in httpx.get(f"{server.url}/metrics").text.splitlines():
        found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if found and found[1] == name and all(f'{key}="{value}"' in (found[2] or "") for key, value in labels.items()):
            total += float(found[3])
    return total


def test_the_description_is_served_and_valid_and_its_page_needs_no_other_host(client):
    validate(client.get("/openapi.json").json())
    assert client.get("/asyncapi.json").json()["asyncapi"] == "3.0.0"
    page = client.get("/docs")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page.text)
    for path in re.findall(r'(?:src|href|spec-url)="(/[^"]*)"', page.text):
        assert client.get(path).status_code == 200


def test_metrics_are_of_all_workers_together_and_survive_a_workers_death(start, clip):
    server = start(MEDIAFLOW_INGEST_WORKERS="3")
    for _ in range(30):  # each on its own connection, so that every worker gets some
        httpx.post(f"{server.url}/media/upload", content=clip)
    httpx.get(f"{server.url}/media/none")
    assert _metric(server, "mediaflow_ingest_uploads_total", form="raw") == 30
    assert _metric(server, "mediaflow_ingest_upload_bytes_total", form="raw") == 30 * len(clip)
    assert _metric(server, "mediaflow_ingest_upload_seconds_count", form="raw") == 30
    assert _metric(server, "mediaflow_ingest_refusals_total", problem="asset-not-found") == 1
    assert _metric(server, "mediaflow_published_total", outcome="confirmed") == 30
    assert _metric(server, "mediaflow_publisher_connected") == 3

    victim = server.workers()[0]
    os.kill(victim, signal.SIGKILL)
    until(lambda: victim not in server.workers() and len(server.workers()) == 3, "a new worker")
    until(lambda: _metric(server, "mediaflow_publisher_connected") == 3, "the new worker's connection")
    assert _metric(server, "mediaflow_ingest_uploads_total", form="raw") == 30
    httpx.post(f"{server.url}/media/upload", content=clip)
    assert _metric(server, "mediaflow_ingest_uploads_total", form="raw") == 31


def test_sigterm_lets_running_uploads_end_and_exits_0(start, clip):
    server = start()
    answers = []

    def slowly():
        half = len(clip) // 2
        yield clip[:half]
        until(stopping.is_set, "the stop")
        time.sleep(0.5)
        yield clip[half:]

    stopping = threading.Event()
    upload = threading.Thread(
        target=lambda: answers.append(httpx.post(f"{server.url}/media/upload", content=slowly(), timeout=20))
    )
    upload.start()
    until(lambda: list(server.store_root.glob("assets/*")), "the upload's start")
    server.process.send_signal(signal.SIGTERM)
    stopping.set()
    upload.join(20)
    assert answers[0].status_code == 202
    assert server.process.wait(20) == 0
    assert len(queue_messages(server.amqp_url)) == 1
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.url}/healthz")


def test_after_a_killed_master_the_next_ingest_has_the_port_at_once(start, clip):
    server = start()
    workers = server.workers()
    with server.connect() as upload:  # gunicorn's workers would wait for its end, and keep the port meanwhile
        head = (
            f"POST /media/upload HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\nContent-Length: {len(clip)}\r\n\r\n"
        )
        upload.sendall(head.encode() + clip[:1000])
        until(lambda: list(server.store_root.glob("assets/*")), "the upload's start")
        server.process.kill()
        server.process.wait()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), "the end of the workers", 5)

    again = start(MEDIAFLOW_INGEST_PORT=str(server.port), ready=False)
    until(lambda: again.records("ingest_started"), "a second start on the same port")


def test_sigterm_while_it_waits_for_the_broker_exits_0(start):
    server = start("amqp://guest:guest@127.0.0.1:1/", ready=False)
    until(lambda: "broker_connect_retried" in server.log(), "the first try")
    assert server.stop() == 0


def test_nothing_is_left_in_memory_when_it_stops(start):
    server = start(MEDIAFLOW_INGEST_WORKERS="1")
    with server.client() as client:
        for number in range(20):
            client.post("/media/upload", json={"assetId": f"a-{number}", "ownerId": "u-1"})
    assert server.stop() == 0
    again = start()
    assert len(httpx.get(f"{again.url}/media").json()["assets"]) == 20


def test_an_unknown_setting_exits_2_and_names_it(start):
    server = start(ready=False, MEDIAFLOW_INGEST_WROKERS="3")
    assert server.process.wait(20) == 2
    assert "MEDIAFLOW_INGEST_WROKERS" in server.log()
    assert "Traceback" not in server.log()


def test_a_taken_port_exits_2_in_one_clear_line(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        server = start(ready=False, MEDIAFLOW_INGEST_PORT=port)
        assert server.process.wait(20) == 2
    assert f"MEDIAFLOW_INGEST_PORT: can't listen on 127.0.0.1:{port}" in server.log()
    assert len(server.log().splitlines()) == 1


def test_a_broker_that_is_not_there_exits_3_without_an_outbox(start):
    server = start("amqp://guest:guest@127.0.0.1:1/", ready=False, MEDIAFLOW_START_LIMIT_S="1", MEDIAFLOW_OUTBOX="off")
    assert server.process.wait(20) == 3
    assert "Traceback" not in server.log()


def test_a_queue_with_other_arguments_exits_4_and_says_which(start, amqp_url):
    other = load_channels()["thumbnail"].model_copy(update={"delivery_limit": 77})
    arguments = queue_arguments(other)
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        connection.channel().queue_declare("media.thumbnail", durable=True, arguments=arguments)
    server = start(ready=False)
    assert server.process.wait(20) == 4
    assert "media.thumbnail" in server.log()
    assert "77" in server.log()


def test_simulated_assets_are_refused_unless_allowed_and_the_problem_says_how(start):
    server = start(MEDIAFLOW_INGEST_ALLOW_SIMULATED="false")
    with server.client() as client:
        for answer in (
            client.post("/media/upload", json={"assetId": "a", "ownerId": "u"}),
            client.post("/media/burst", json={"count": 1}),
        ):
            assert answer.status_code == 403
            assert answer.json()["type"] == "urn:mediaflow:problem:simulation-not-allowed"
            assert "MEDIAFLOW_INGEST_ALLOW_SIMULATED=true" in answer.json()["detail"]


def test_a_store_that_can_not_be_opened_exits_2_and_says_which(start, tmp_path):
    (tmp_path / "store").write_text("a file where a folder should be")
    server = start(ready=False)
    assert server.process.wait(20) == 2
    assert "MEDIAFLOW_STORE_URL" in server.log()
    assert "Traceback" not in server.log()


def test_a_store_that_is_gone_is_503_and_readiness_says_so(start, clip):
    server = start()
    server.store_root.rename(server.store_root.with_name("elsewhere"))
    server.store_root.write_text("a file where a folder should be")
    ready = until(lambda: _unready(server), "readiness to be off")
    assert ready.status_code == 503
    assert ready.json()["store"] != "ok"
    answer = httpx.post(f"{server.url}/media/upload", content=clip)
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:mediaflow:problem:store-unavailable")
    assert int(answer.headers["Retry-After"]) > 0


def _unready(server):
    answer = httpx.get(f"{server.url}/readyz")
    return answer if answer.status_code == 503 else None


def test_memory_stays_flat_during_a_large_upload(start):
    server = start(MEDIAFLOW_INGEST_WORKERS="1")
    piece, count = bytes(1024 * 1024), 150
    httpx.post(f"{server.url}/media/upload", content=bytes(3_000_000))
    [worker] = server.workers()

    def resident() -> int:
        status = Path(f"/proc/{worker}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) // 1024

    before = resident()
    answer = httpx.post(f"{server.url}/media/upload", content=(piece for _ in range(count)), timeout=60)
    assert answer.status_code == 202
    assert resident() - before < 40
