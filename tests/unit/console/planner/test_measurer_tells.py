"""The measurer reads workers' pages, and lets whoever runs them know how they are doing."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import structlog

from console.control.fleet_control import ChannelWorkers, ControlUnavailable, WorkerReading, WorkerView
from console.fleet.feed import FleetFeed
from console.planner.measurer import Measurer
from fleet_looks import StubControl

PAGE = """# HELP process_resident_memory_bytes Resident memory size in bytes.
process_resident_memory_bytes 5.1e+07
mediaflow_jobs_running{channel="transcode"} 1.0
mediaflow_jobs_oldest_seconds{channel="transcode"} 61.5
"""


@pytest.fixture
def page() -> Iterator[str]:
    """The address of a worker's page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/metrics"
    server.shutdown()
    thread.join()
    server.server_close()


def make(page: str) -> tuple[Measurer, StubControl]:
    views = (
        WorkerView("transcode-a", "ready", None, None, 0, None, page),
        WorkerView("transcode-b", "ready", None, None, 0, None, "http://127.0.0.1:9/metrics"),
        WorkerView("transcode-c", "starting", None, None, 0, None, None),
    )
    control = StubControl(ChannelWorkers("transcode", views, 3, 1, 8, False, "hand"))
    return Measurer(control, FleetFeed(viewers=1), dict, profile="media", cooldown_s=60.0), control


def test_those_that_answer_are_told_of(page: str) -> None:
    measurer, control = make(page)
    measurer.look()
    assert control.asked == [("learn", {"transcode-a": WorkerReading(61.5, 51_000_000)})]


def test_a_refusal_is_logged_once_and_measuring_goes_on(page: str) -> None:
    measurer, control = make(page)
    with structlog.testing.capture_logs() as logs:
        for failure in (ControlUnavailable("no"), ControlUnavailable("no"), None, ControlUnavailable("no")):
            control.failure = failure
            measurer.look()
    assert [each["event"] for each in logs] == ["busy_workers_not_marked"] * 2
    assert len(control.asked) == 4
