"""A real ingest process for the tests, the queue behind it, and a wire that can be cut in between."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pika

from local_fleet.ports import free_ports
from process_end import end_process

START_LIMIT_S = 30.0


def until(condition: Callable[[], Any], what: str, limit_s: float = 45.0) -> Any:
    """Wait for a condition and give what it gave."""
    deadline = time.monotonic() + limit_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} did not come true in {limit_s} s"
        time.sleep(0.02)
    return found


class IngestServer:
    """``python -m ingest`` with its own store, on a free port."""

    def __init__(
        self, folder: Path, amqp_url: str, *, program: Sequence[str] = ("-m", "ingest"), **settings: str
    ) -> None:
        self.store_root = folder / "store"
        self._log = folder / f"ingest-{time.monotonic_ns()}.log"
        self.port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{self.port}"
        self.amqp_url = amqp_url
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MEDIAFLOW_")}
        environment |= {
            "AMQP_URL": amqp_url,
            "MEDIAFLOW_STORE_URL": f"file://{self.store_root}",
            "MEDIAFLOW_LOG_FORMAT": "json",
            "MEDIAFLOW_INGEST_PORT": str(self.port),
            "MEDIAFLOW_INGEST_WORKERS": "2",
            "MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true",
            **settings,
        }
        self._workers = int(environment["MEDIAFLOW_INGEST_WORKERS"])
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *program], env=environment, stderr=log, stdout=log, stdin=subprocess.DEVNULL
            )

    def await_ready(self) -> "IngestServer":
        """Wait until every worker serves, not only the first."""
        until(self._is_ready, f"readiness of ingest ({self._log})", START_LIMIT_S)
        return self

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, self.log()
        if len(self.records("publisher_connected")) < self._workers:
            return False
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/readyz").status_code == 200
        return False

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=30, **options)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=15)

    def log(self) -> str:
        return self._log.read_text()

    def records(self, event: str) -> list[dict[str, Any]]:
        """The log's lines with this event."""
        lines = (json.loads(line) for line in self.log().splitlines() if line.startswith("{"))
        return [line for line in lines if line.get("event") == event]

    def workers(self) -> list[int]:
        """The process ids of gunicorn's workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in children.split()]

    def files(self) -> set[str]:
        """Every file in the store, by its key, but for the relay's lease, which no request makes."""
        # os.walk does not mind folders that go away while it walks
        walked = ((Path(folder), names) for folder, _, names in os.walk(self.store_root))
        found = (str((folder / name).relative_to(self.store_root)) for folder, names in walked for name in names)
        return {key for key in found if not key.startswith("relay/")}

    def media_files(self) -> set[str]:
        return {key for key in self.files() if key.startswith("assets/")}

    def stop(self) -> int:
        return end_process(self.process)


def queue_messages(amqp_url: str, queue: str = "media.thumbnail") -> list[tuple[pika.BasicProperties, dict[str, Any]]]:
    """Take everything out of a queue."""
    taken = []
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        while True:
            method, properties, body = channel.basic_get(queue, auto_ack=True)
            if method is None:
                return taken
            taken.append((properties, json.loads(body)))
