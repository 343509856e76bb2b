"""The console as a process: how it starts, ends, and how many can watch."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from console_process import ConsoleProcess

#: Live views that the console is built for, and the memory it may idle with.
MANY = 200
IDLE_BYTES = 100 * 1024 * 1024


@pytest.fixture
def start(tmp_path, amqp_url, management_url):
    """Starts consoles in one folder; all are ended afterwards."""
    started = []

    def make(**settings: str) -> ConsoleProcess:
        started.append(ConsoleProcess(tmp_path, amqp_url, management_url, **settings))
        return started[-1]

    yield make
    for each in started:
        each.stop()


def test_a_console_that_would_be_open_to_all_does_not_start(start):
    console = start(MEDIAFLOW_CONSOLE_HOST="0.0.0.0")
    assert console.process.wait(30) == 2
    assert "mediaflow: MEDIAFLOW_CONSOLE_PASSWORD: not set" in console.log()
    assert "Traceback" not in console.log()


def test_a_taken_port_is_one_clear_line(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        console = start(MEDIAFLOW_CONSOLE_PORT=str(port))
        assert console.process.wait(30) == 2
    assert f"MEDIAFLOW_CONSOLE_PORT: can't listen on 127.0.0.1:{port}" in console.log()
    assert "Traceback" not in console.log()


@pytest.mark.parametrize(
    ("variable", "value"),
    [("MEDIAFLOW_STORE_URL", "file:///proc/none"), ("MEDIAFLOW_CONSOLE_STATE_DIR", "/proc/none")],
)
def test_a_folder_that_cannot_be_used_ends_it_with_the_variables_name(start, variable, value):
    console = start(**{variable: value})
    assert console.process.wait(30) == 2
    assert f"mediaflow: {variable}" in console.log()
    assert "Traceback" not in console.log()


def test_without_a_broker_it_serves_and_says_so(start):
    console = start(AMQP_URL="amqp://127.0.0.1:1", MEDIAFLOW_MANAGEMENT_URL="http://127.0.0.1:1").await_ready()
    assert httpx.get(f"{console.url}/", timeout=30).status_code == 200


def test_two_hundred_watch_while_requests_are_answered_and_a_stop_waits_for_none_of_them(start):
    console = start().await_ready()
    httpx.get(f"{console.url}/", timeout=30)
    assert console.memory_bytes() < IDLE_BYTES
    with ThreadPoolExecutor(20) as crowd:
        views = list(crowd.map(lambda _: console.watch(), range(MANY)))
    try:
        assert httpx.get(f"{console.url}/planner", timeout=10).status_code == 200
        assert console.memory_bytes() < 2 * IDLE_BYTES
        began = time.monotonic()
        assert console.stop() == 0
        assert time.monotonic() - began < 15
    finally:
        for each in views:
            each.close()


def test_more_than_may_watch_are_asked_to_come_again(start):
    console = start(MEDIAFLOW_CONSOLE_VIEWERS="2").await_ready()
    views = [console.watch(), console.watch()]
    refused = httpx.get(f"{console.url}/fleet/events", timeout=30)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    for each in views:
        each.close()


def test_a_session_outlives_the_process(start):
    settings = {"MEDIAFLOW_CONSOLE_PASSWORD": "correct horse"}
    console = start(**settings).await_ready()
    with httpx.Client(timeout=30) as client:
        token = client.get(f"{console.url}/login").text.split('name="csrf-token" content="')[1].split('"')[0]
        fields = {"name": "Ada", "password": "correct horse", "csrf_token": token}
        assert client.post(f"{console.url}/login", data=fields).status_code == 303
        assert console.stop() == 0
        again = start(**settings).await_ready()
        assert client.get(f"{again.url}/planner").status_code == 200
        assert httpx.get(f"{again.url}/planner").status_code == 401


def test_many_requests_at_once_are_all_answered(start):
    console = start().await_ready()
    statuses = []

    def ask() -> None:
        with httpx.Client(base_url=console.url, timeout=60) as client:
            statuses.extend(client.get(path).status_code for path in ("/", "/history", "/healthz"))

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert statuses == [200] * 120
