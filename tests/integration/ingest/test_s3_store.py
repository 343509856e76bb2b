"""Ingest on an S3 store (moto's server): outputs by signed address, playlists and downloads passed through."""

import json
import logging
import re
from collections.abc import Iterator
from urllib.parse import urlsplit
from uuid import uuid4

import boto3
import httpx
import pytest
from moto.server import ThreadedMotoServer

from ingest_server import until


class Bucket:
    """A bucket, and the settings that lead ingest to it."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
        self._s3 = boto3.client("s3", endpoint_url=endpoint, **keys)
        self._name = f"mediaflow-{uuid4().hex}"
        self._s3.create_bucket(Bucket=self._name)
        self.settings = {
            "MEDIAFLOW_STORE_URL": f"s3://{self._name}/flow",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
        }

    def stored(self) -> set[str]:
        listed = self._s3.list_objects_v2(Bucket=self._name).get("Contents", [])
        return {entry["Key"].removeprefix("flow/") for entry in listed}

    def put(self, key: str, content: bytes) -> None:
        self._s3.put_object(Bucket=self._name, Key=f"flow/{key}", Body=content)


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield Bucket(f"http://{host}:{port}")
    finally:
        server.stop()


def _finish(bucket: Bucket, asset_id: str, outputs: dict[str, bytes]) -> None:
    for name, content in outputs.items():
        bucket.put(f"assets/{asset_id}/transcode/{name}", content)
    listed = [{"name": name, "size": len(content)} for name, content in outputs.items()]
    result = {"eventId": "e", "channel": "transcode", "outputs": listed, "details": {}, "attempt": 1}
    bucket.put(f"assets/{asset_id}/transcode/result.json", json.dumps(result).encode())


def test_uploads_and_outputs_work_on_s3(start, bucket, clip):
    server = start(**bucket.settings)
    with server.client() as client:
        answer = client.post("/media/upload", params={"filename": "grün.mp4"}, content=clip, headers=_VIDEO)
        asset_id = answer.json()["assetId"]
        assert {f"assets/{asset_id}/source", f"assets/{asset_id}/asset.json"} <= bucket.stored()
        assert [entry["assetId"] for entry in client.get("/media").json()["assets"]] == [asset_id]

        source = client.get(f"/media/{asset_id}/source")
        assert source.content == clip
        assert source.headers["Content-Disposition"].endswith("UTF-8''gr%C3%BCn.mp4")
        assert client.get(f"/media/{asset_id}/source", headers={"Range": "bytes=5-9"}).content == clip[5:10]

        _finish(bucket, asset_id, {"v/1.m4s": b"0123456789", "v/index.m3u8": b"#EXTM3U"})
        segment = client.get(f"/media/{asset_id}/transcode/v/1.m4s")
        assert segment.status_code == 307
        assert httpx.get(segment.headers["Location"], headers={"Range": "bytes=2-4"}).content == b"234"
        assert client.head(f"/media/{asset_id}/transcode/v/1.m4s").headers["Content-Length"] == "10"
        playlist = client.get(f"/media/{asset_id}/transcode/v/index.m3u8")
        assert (playlist.status_code, playlist.content) == (200, b"#EXTM3U")

        page = client.get(f"/media/{asset_id}", headers={"Accept": "text/html"})
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(bucket.endpoint))
        for directive in ("img-src", "media-src", "connect-src"):
            assert re.search(f"{directive} [^;]*{re.escape(origin)}", page.headers["Content-Security-Policy"])


def test_outputs_can_be_passed_through_where_browsers_may_not_reach_s3(start, bucket, clip):
    server = start(**bucket.settings, MEDIAFLOW_INGEST_SERVE_OUTPUTS="proxy")
    with server.client() as client:
        asset_id = client.post("/media/upload", content=clip, headers=_VIDEO).json()["assetId"]
        _finish(bucket, asset_id, {"v/1.m4s": b"0123456789" * 300_000})
        url = f"/media/{asset_id}/transcode/v/1.m4s"
        assert len(client.get(url).content) == 3_000_000
        assert client.get(url, headers={"Range": "bytes=-4"}).content == b"6789"


def test_an_upload_broken_off_half_way_leaves_nothing_on_s3(start, bucket):
    server = start(**bucket.settings)
    with server.connect() as connection:
        connection.sendall(
            b"POST /media/upload HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\nContent-Length: 30000000\r\n\r\n"
        )
        connection.sendall(bytes(20_000_000))
    until(lambda: server.records("request_refused"), "the refusal")
    with server.client() as client:
        assert client.post("/media/upload", content=b"", headers=_VIDEO).status_code == 400
    assert {key for key in bucket.stored() if key.startswith("assets/")} == set()


_VIDEO = {"Content-Type": "video/mp4"}
