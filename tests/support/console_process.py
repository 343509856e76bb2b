"""``python -m console`` for the tests, on a free port with a store of its own."""

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx

from local_fleet.ports import free_ports
from process_end import end_process

START_LIMIT_S = 60.0


class ConsoleProcess:
    """One console; its folder holds store, state and log."""

    def __init__(self, folder: Path, amqp_url: str, management_url: str, **settings: str) -> None:
        self._log = folder / "console.log"
        self.port = free_ports(1)[0]
        self.url = f"http://localhost:{self.port}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MEDIAFLOW_")}
        environment |= {
            "AMQP_URL": amqp_url,
            "MEDIAFLOW_MANAGEMENT_URL": management_url,
            "MEDIAFLOW_STORE_URL": (folder / "store").as_uri(),
            "MEDIAFLOW_CONSOLE_STATE_DIR": str(folder / "state"),
            "MEDIAFLOW_CONSOLE_PORT": str(self.port),
            "MEDIAFLOW_LOG_FORMAT": "json",
            **settings,
        }
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "console"], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def await_ready(self) -> "ConsoleProcess":
        deadline = time.monotonic() + START_LIMIT_S
        while True:
            assert self.process.poll() is None, self.log()
            with suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return self
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def log(self) -> str:
        return self._log.read_text()

    def watch(self) -> socket.socket:
        """Open a live view; gives the connection once its first event has begun."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.sendall(f"GET /fleet/events HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
        seen = b""
        while b"data:" not in seen:
            received = connection.recv(65536)
            assert received, seen
            seen = (seen + received)[-65536:]
        assert connection
        return connection

    def memory_bytes(self) -> int:
        """What its processes take, each page counted once (PSS)."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        kilobytes = 0
        for pid in (self.process.pid, *map(int, children)):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            kilobytes += int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1])
        return kilobytes * 1024

    def stop(self) -> int:
        return end_process(self.process)
