"""The load generator as it is started: against a real front door and broker, and against one that pushes back."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from ingest_server import IngestServer, queue_messages, until
from local_fleet.ports import free_ports

RUN = Path(__file__).parents[2] / "load" / "run.py"


class Load:
    """One run of the program."""

    def __init__(self, folder: Path, host: str, **settings: object) -> None:
        self._summary = folder / "summary.json"
        self.metrics_url = f"http://127.0.0.1:{free_ports(1)[0]}/metrics"
        wanted = {"HOST": host, "RAMP_S": 1, "SUMMARY": self._summary, "METRICS_PORT": self.metrics_url[17:-8]}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MEDIAFLOW_")}
        environment |= {f"MEDIAFLOW_LOAD_{name}": str(value) for name, value in (wanted | settings).items()}
        self.process = subprocess.Popen(
            [sys.executable, RUN], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def wait(self) -> tuple[int, str]:
        said = self.process.communicate(timeout=120)[0]
        return self.process.returncode, said

    def metrics(self) -> str:
        with suppress(httpx.TransportError):
            return httpx.get(self.metrics_url).text
        return ""

    @property
    def summary(self):
        return json.loads(self._summary.read_text())


@pytest.fixture
def start(tmp_path) -> Iterator:
    runs = []

    def start_one(host, **settings):
        runs.append(Load(tmp_path, host, **settings))
        return runs[-1]

    yield start_one
    for run in runs:
        if run.process.poll() is None:
            run.process.kill()
            run.process.communicate()


@pytest.fixture
def front(tmp_path, amqp_url):
    server = IngestServer(tmp_path, amqp_url)
    yield server.await_ready()
    server.stop()


@contextmanager
def stub_door(answer):
    """A front door whose answer to upload number n of key k is `answer(k, n)`: status and headers."""
    seen: dict[str, list[bytes]] = {}

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            self._reply(200, {}, b'{"simulated": true}')

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies = seen.setdefault(self.headers["Idempotency-Key"], [])
            bodies.append(body)
            self._reply(*answer(self.headers["Idempotency-Key"], len(bodies)), b"{}")

        def _reply(self, status, headers, content):
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(content))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_every_upload_reaches_the_broker_once_and_the_summary_says_so(start, front):
    load = start(front.url, RATE=50, REQUESTS=100, LINGER_S=20, MAX_P95_MS=20_000)
    until(lambda: 'mediaflow_load_uploads_total{outcome="accepted"} 100.0' in load.metrics(), "the last upload")
    metrics = load.metrics()
    assert 'mediaflow_load_requests_total{outcome="error"} 0.0' in metrics
    assert 'mediaflow_load_response_seconds_bucket{le="+Inf",outcome="accepted"} 100.0' in metrics
    until(lambda: load._summary.exists() and load._summary.stat().st_size, "the summary")
    load.process.send_signal(signal.SIGTERM)
    code, said = load.wait()
    assert code == 0, said
    assert load.summary["uploads"]["accepted"] == load.summary["requests"]["total"] == 100
    assert load.summary["passed"]
    assert load.summary["response_ms"]["p95"] > 0
    assert "accepted 100 · failed 0 · given up 0" in said
    events = [event for _, event in queue_messages(front.amqp_url)]
    assert len({event["assetId"] for event in events}) == len(events) == 100
    assert {event["source"] for event in events} == {None}


def test_clips_are_uploaded_under_names_of_their_own(start, front, tmp_path):
    (tmp_path / "clips").mkdir()
    for number, name in enumerate(("a.mp4", "b.webm", "readme.txt")):
        (tmp_path / "clips" / name).write_bytes(bytes([number]) * 5000)
    load = start(front.url, RATE=20, REQUESTS=6, CLIPS=tmp_path / "clips")
    code, said = load.wait()
    assert code == 0, said
    sources = [event["source"] for _, event in queue_messages(front.amqp_url)]
    assert Counter(each["fileName"] for each in sources) == {"a.mp4": 3, "b.webm": 3}
    assert {each["size"] for each in sources} == {5000}


def test_what_is_pushed_back_comes_again_with_the_same_key_and_body(start):
    def twice_back(_, number):
        return [(429, {"Retry-After": "1"}), (503, {"Retry-After": "0"}), (202, {})][number - 1]

    with stub_door(twice_back) as (host, seen):
        load = start(host, RATE=50, REQUESTS=20)
        code, said = load.wait()
    assert code == 0, said
    assert all(len(bodies) == 3 and len(set(bodies)) == 1 for bodies in seen.values())
    assert len(seen) == 20
    requests = load.summary["requests"]
    assert (requests["shed"], requests["unavailable"], requests["accepted"]) == (20, 20, 20)
    assert load.summary["uploads"]["given_up"] == 0


def test_what_is_pushed_back_too_often_is_given_up_and_fails_the_run(start):
    with stub_door(lambda *_: (503, {"Retry-After": "0"})) as (host, seen):
        load = start(host, RATE=50, REQUESTS=5, RETRIES=2)
        code, said = load.wait()
    assert code == 1, said
    assert [len(bodies) for bodies in seen.values()] == [3] * 5
    assert load.summary["uploads"] == {"wanted": 5, "ended": 5, "accepted": 0, "failed": 0, "given_up": 5}


def test_whoever_comes_again_too_late_is_given_up_when_patience_ends(start):
    with stub_door(lambda *_: (429, {"Retry-After": "600"})) as (host, _):
        load = start(host, RATE=50, REQUESTS=5, PATIENCE_S=1)
        code, said = load.wait()
    assert code == 1, said
    assert load.summary["uploads"]["given_up"] == 5


def test_other_answers_are_failures_and_are_told(start):
    with stub_door(lambda key, _: (500 if key.endswith("3") else 202, {})) as (host, _):
        load = start(host, RATE=50, REQUESTS=10)
        code, said = load.wait()
    assert code == 1, said
    assert load.summary["uploads"]["failed"] == 1
    assert list(load.summary["troubles"]) == ["500 {}"]
    assert "1 × 500" in said


def test_asked_to_stop_it_tells_how_far_it_came(start):
    with stub_door(lambda *_: (202, {})) as (host, seen):
        load = start(host, RATE=20, REQUESTS=100_000)
        until(lambda: len(seen) > 5, "some uploads")
        load.process.send_signal(signal.SIGTERM)
        code, said = load.wait()
    assert code == 0, said
    assert load.summary["stopped"]
    assert load.summary["uploads"]["accepted"] > 0
    assert "stopped early" in said


def test_a_front_door_without_simulation_is_refused_before_anything_is_sent(start, tmp_path, amqp_url):
    server = IngestServer(tmp_path, amqp_url, MEDIAFLOW_INGEST_ALLOW_SIMULATED="false")
    try:
        code, said = start(server.await_ready().url).wait()
    finally:
        server.stop()
    assert code == 2
    assert "MEDIAFLOW_INGEST_ALLOW_SIMULATED=true" in said


def test_a_front_door_that_is_not_there_ends_the_run_in_time(start):
    code, said = start(f"http://127.0.0.1:{free_ports(1)[0]}", START_LIMIT_S=0.5).wait()
    assert code == 3
    assert "is not ready after 0.5 s" in said
