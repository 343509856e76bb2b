"""A real process whose store has no room, or whose S3 service does not answer."""

import resource
import time

import httpx
import pytest

from refusing_port import refusing_port

ROOM = 2_000_000


@pytest.fixture
def full(start):
    """An ingest that may write no file larger than ROOM, as on a volume that is nearly full."""
    server = start()
    for pid in server.workers():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (ROOM, resource.RLIM_INFINITY))
    return server


def _refused(answer, status, slug):
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == f"urn:mediaflow:problem:{slug}"
    assert int(answer.headers["Retry-After"]) > 0


def test_a_file_for_which_there_is_no_room_is_507_and_leaves_nothing(full):
    large = bytes(ROOM + 1_000_000)
    with full.client() as client:
        for upload in (
            {"content": large},
            {"content": large, "headers": {"Idempotency-Key": "k-1"}},
            {"content": large, "params": {"assetId": "mine"}},
            {"content": (large[at : at + 500_000] for at in range(0, len(large), 500_000))},
            {"files": {"file": ("a.mp4", large, "video/mp4")}},
        ):
            _refused(client.post("/media/upload", **upload), 507, "store-full")
        assert full.files() == set()
        smaller = client.post("/media/upload", content=large[:1_000_000], headers={"Idempotency-Key": "k-1"})
        assert smaller.status_code == 202
        assert client.get("/readyz").status_code == 200


def test_an_s3_service_that_is_gone_is_503_for_every_form(start, clip):
    with refusing_port() as port:
        server = start(
            ready=False,
            MEDIAFLOW_STORE_URL="s3://bucket/flow",
            AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}",
            AWS_ACCESS_KEY_ID="key",
            AWS_SECRET_ACCESS_KEY="secret",
            AWS_REGION="us-east-1",
        )
        with server.client() as client:
            _until_it_listens(client)
            for upload in (
                {"content": clip},
                {"content": clip, "headers": {"Idempotency-Key": "k-1"}},
                {"files": {"file": ("a.mp4", clip, "video/mp4")}},
                {"json": {"assetId": "a-1", "ownerId": "u-1"}},
                {"json": {"assetId": "a-1", "ownerId": "u-1"}, "headers": {"Idempotency-Key": "k-2"}},
            ):
                started = time.monotonic()
                _refused(client.post("/media/upload", **upload), 503, "store-unavailable")
                assert time.monotonic() - started < 20
            _refused(client.post("/media/burst", json={"count": 2}), 503, "store-unavailable")
            ready = client.get("/readyz")
            assert ready.status_code == 503
            assert ready.json()["broker"] == "ok"


def _until_it_listens(client):
    deadline = time.monotonic() + 30
    while True:
        try:
            return client.get("/healthz")
        except httpx.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
