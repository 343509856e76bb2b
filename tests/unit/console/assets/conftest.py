from collections.abc import Iterator
from threading import Thread

import pytest

from console.assets.ingest_client import IngestClient
from stub_ingest import StubIngest


@pytest.fixture
def double() -> Iterator[StubIngest]:
    """An ingest of this test alone."""
    double = StubIngest()
    Thread(target=double.server.serve_forever, args=(0.01,), daemon=True).start()
    yield double
    double.server.shutdown()
    double.server.server_close()


@pytest.fixture
def client(double) -> Iterator[IngestClient]:
    client = IngestClient(double.url + "/", connect_s=0.5, read_s=0.5)
    yield client
    client.close()
