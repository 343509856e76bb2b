"""The load generator that keeps its rate whatever the server does."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from refusing_port import refusing_port

BENCH = Path(__file__).parents[2] / "bench"


class Uploads(BaseHTTPRequestHandler):
    """Accepts every upload but each tenth."""

    protocol_version = "HTTP/1.1"
    seen: list[str]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(body["assetId"])
        self.send_response(503 if body["assetId"].endswith("9") else 202)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    seen: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Uploads,), {"seen": seen})) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1], seen
        finally:
            server.shutdown()
            thread.join()


def load(program: str, *arguments: object) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", f"mediaflow_bench.programs.{program}", *map(str, arguments)],
        cwd=BENCH,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)


def test_every_request_is_sent_once_and_every_answer_is_counted() -> None:
    with listening() as (port, seen):
        report = load("open_loop", port, 200, 0.5, "tag")

    assert sorted(seen) == sorted(f"tag-{number}" for number in range(100))
    assert (report["sent"], report["accepted"], report["failed"]) == (100, 90, 10)
    assert report["failures"] == {"status 503": 10}


def test_requests_that_no_connection_takes_are_failures() -> None:
    with refusing_port() as port:
        report = load("open_loop", port, 100, 0.1, "tag")

    assert (report["accepted"], report["failed"]) == (0, 10)


def test_clients_that_wait_for_their_answers_send_until_the_time_is_over() -> None:
    with listening() as (port, seen):
        report = load("closed_loop", port, 3, 0.3, "tag")

    assert report["requests"] == len(seen) == len(set(seen)) > 3
    assert report["failed"] == sum(asset.endswith("9") for asset in seen)
