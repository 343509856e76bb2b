"""A running ingest, or the bare endpoint beside it."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from local_fleet.ports import free_ports
from mediaflow_bench.workplace import ProgramFailed, Workplace

_START_LIMIT_S = 60.0


@dataclass(frozen=True)
class Server:
    """Where it listens, and its processes."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Its upload address."""
        return f"http://127.0.0.1:{self.port}/media/upload"

    def processes(self) -> list[psutil.Process]:
        """List gunicorn's master and its workers."""
        master = psutil.Process(self.pid)
        return [master, *master.children(recursive=True)]

    def cpu(self) -> tuple[float, float]:
        """Give the processor time of all of them so far, in user and in system mode, in seconds."""
        times = [process.cpu_times() for process in self.processes()]
        return sum(each.user for each in times), sum(each.system for each in times)


@contextmanager
def ingest(workplace: Workplace, amqp_url: str, *, store: Path | None = None, **environment: str) -> Iterator[Server]:
    """Run ingest as it comes, with simulated uploads allowed, on a store of its own that is removed afterwards."""
    folder = store or workplace.folder / "store"
    given = {
        "AMQP_URL": amqp_url,
        "MEDIAFLOW_STORE_URL": folder.as_uri(),
        "MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true",
        "MEDIAFLOW_LOG_FORMAT": "json",
        **environment,
    }
    try:
        with _serving(workplace, "ingest", **given) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def bare_flask(workplace: Workplace) -> Iterator[Server]:
    """Run the bare endpoint with the same gunicorn settings."""
    with _serving(workplace, "mediaflow_bench.programs.bare_flask") as server:
        yield server


@contextmanager
def _serving(workplace: Workplace, module: str, **environment: str) -> Iterator[Server]:
    (port,) = free_ports(1)
    log = workplace.folder / f"{module}-{port}.log"
    command = [sys.executable, "-m", module]
    with workplace.running(command, log, MEDIAFLOW_INGEST_PORT=str(port), **environment) as process:
        deadline = time.monotonic() + _START_LIMIT_S
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise ProgramFailed(f"{module} does not come up: {_tail(log)}")
            time.sleep(0.05)
        yield Server(port, process.pid)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
            return True
    except (URLError, OSError):
        return False


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-1000:]
