"""Real ingest processes against a real broker: one shared by the tests that leave it as it was, others to spoil."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from ingest_server import IngestServer
from local_fleet.broker import BrokerAddress
from wire import Wire

CLIP = bytes(range(256)) * 300


@pytest.fixture(scope="module")
def module_amqp_url(broker: BrokerAddress) -> Iterator[str]:
    """A virtual host for one module's tests."""
    user = quote(unquote(urlsplit(broker.amqp_url).username or "guest"))
    name = f"ingest-{uuid4().hex[:12]}"
    with httpx.Client(base_url=broker.management_url, timeout=30) as management:
        management.put(f"/api/vhosts/{name}").raise_for_status()
        rights = {"configure": ".*", "write": ".*", "read": ".*"}
        management.put(f"/api/permissions/{name}/{user}", json=rights).raise_for_status()
        yield urlsplit(broker.amqp_url)._replace(path=f"/{name}").geturl()
        management.delete(f"/api/vhosts/{name}")


@pytest.fixture(scope="module")
def front(module_amqp_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[IngestServer]:
    """A running ingest with two workers that a module's tests share."""
    settings = {"MEDIAFLOW_INGEST_MAX_UPLOAD_BYTES": "1000000", "MEDIAFLOW_INGEST_READ_TIMEOUT_S": "2"}
    server = IngestServer(tmp_path_factory.mktemp("front"), module_amqp_url, **settings)
    try:
        yield server.await_ready()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def client(front: IngestServer) -> Iterator[httpx.Client]:
    with front.client() as client:
        yield client


@pytest.fixture
def start(tmp_path: Path, amqp_url: str) -> Iterator[Callable[..., IngestServer]]:
    """Starts an ingest of this test alone, with settings of its own."""
    started: list[IngestServer] = []

    def start_one(amqp: str = amqp_url, *, ready: bool = True, **settings: Any) -> IngestServer:
        server = IngestServer(tmp_path, amqp, **settings)
        started.append(server)
        return server.await_ready() if ready else server

    yield start_one
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


@pytest.fixture
def wire(amqp_url: str) -> Iterator[Wire]:
    """A wire to the broker that can be cut."""
    parts = urlsplit(amqp_url)
    wire = Wire(parts.hostname or "127.0.0.1", parts.port or 5672)
    yield wire
    wire.close()


@pytest.fixture
def wired_url(amqp_url: str, wire: Wire) -> str:
    """This test's virtual host, by way of the wire."""
    parts = urlsplit(amqp_url)
    login = parts.netloc.rpartition("@")[0]
    return parts._replace(netloc=f"{login}@127.0.0.1:{wire.port}").geturl()


@pytest.fixture
def clip() -> bytes:
    """Bytes that pass for a video at the door."""
    return CLIP
