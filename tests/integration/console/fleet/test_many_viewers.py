"""Two hundred open pages cost the broker what one does."""

import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from pydantic import SecretStr

from counting_proxy import CountingProxy
from local_fleet.ports import free_ports
from mq_common.channels import load_channels
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology

PATIENCE_S = 60


class Console:
    """A console process, and pages that watch it."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.port = free_ports(1)[0]
        self._log = (folder / "console.log").open("wb")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        own = {
            "MEDIAFLOW_CONSOLE_PORT": str(self.port),
            "MEDIAFLOW_CONSOLE_CONTROL": "none",
            "MEDIAFLOW_STORE_URL": (folder / "media").as_uri(),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "console"], env=inherited | own | variables, stdout=self._log, stderr=self._log
        )
        self._pages: list[socket.socket] = []

    def open_pages(self, count: int) -> None:
        for _ in range(count):
            page = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)
            page.sendall(f"GET /fleet/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
            self._pages.append(page)

    def looks(self) -> list[tuple[float, dict]]:
        """For each page the next look that it gets: when, and the look."""
        found = []
        for page in self._pages:
            page.setblocking(False)
            while select.select([page], [], [], 0)[0]:  # what came before now
                assert page.recv(1 << 20), "the stream ended"
        for page in self._pages:
            page.setblocking(True)
            text = b""
            while not (match := re.search(rb"event: look\r?\ndata: (\{.*\})\r?\n", text)):
                text += page.recv(1 << 16)
            found.append((time.time(), json.loads(match[1])))
        return found

    def queues(self) -> dict:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urlopen(f"http://127.0.0.1:{self.port}/admin/queues", timeout=10) as answer:
                    return json.load(answer)
            except (HTTPError, OSError):
                assert time.monotonic() < deadline, "the console did not come up"
                time.sleep(0.1)

    def metric(self, name: str) -> float:
        with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.MULTILINE)[1])

    def end(self) -> None:
        for page in self._pages:
            page.close()
        self._process.terminate()
        self._process.wait(20)
        self._log.close()


@pytest.fixture
def proxy(management_url: str) -> Iterator[CountingProxy]:
    proxy = CountingProxy(management_url)
    yield proxy
    proxy.close()


@pytest.fixture
def console(amqp_url: str, proxy: CountingProxy, tmp_path: Path) -> Iterator[Console]:
    declare_topology(BrokerSettings(AMQP_URL=SecretStr(amqp_url)), load_channels().values())
    console = Console(tmp_path, AMQP_URL=amqp_url, MEDIAFLOW_MANAGEMENT_URL=proxy.url)
    yield console
    console.end()


def requests_of_looks(console: Console, proxy: CountingProxy, looks: int) -> int:
    """Give the requests to the management API in so many looks of the console."""
    begun, number = len(proxy.requests), console.metric("mediaflow_console_look_seconds_count")
    deadline = time.monotonic() + PATIENCE_S
    while console.metric("mediaflow_console_look_seconds_count") < number + looks:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return len(proxy.requests) - begun


def test_two_hundred_pages_cost_the_broker_what_one_does_and_are_a_second_behind_at_most(console, proxy):
    assert len(console.queues()["queues"]) == 3
    console.open_pages(1)
    with_one = requests_of_looks(console, proxy, 5)
    console.open_pages(199)
    looks = console.looks()
    assert console.metric("mediaflow_console_viewers") == 200
    with_all = requests_of_looks(console, proxy, 5)
    # Five looks, bindings and alarms every five seconds: where the seconds fall is chance.
    assert with_one <= 9
    assert with_all <= 9
    ages = sorted(came - look["at"] for came, look in looks)
    assert len(ages) == 200
    assert ages[100] < 2.0  # a second between looks, and this test reads two hundred streams one after the other
    assert {look["broker"]["answers"] for _, look in looks} == {True}
