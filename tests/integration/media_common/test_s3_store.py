import time
from pathlib import Path
from urllib.request import urlopen

import other_process
import pytest

from media_common.errors import StoreUnavailable
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from refusing_port import refusing_port
from s3_service import S3Service

KEY = "assets/a1/transcode/index.m3u8"


def test_objects_lie_below_the_prefix_with_their_content_types(
    s3: S3Service, s3_store: MediaStore, tmp_path: Path
) -> None:
    (tmp_path / "made").write_bytes(b"#EXTM3U\n")
    s3_store.put_file(KEY, tmp_path / "made", "application/vnd.apple.mpegurl")
    s3_store.put_json("assets/a1/asset.json", {})
    with s3_store.writer("assets/a1/source", "video/mp4") as writer:
        writer.write(b"x" * 20_000_000)
        writer.commit()

    assert s3.content_type(KEY) == "application/vnd.apple.mpegurl"
    assert s3.content_type("assets/a1/asset.json") == "application/json"
    assert s3.content_type("assets/a1/source") == "video/mp4"


def test_a_given_up_upload_leaves_no_parts_behind(s3: S3Service, s3_store: MediaStore) -> None:
    with s3_store.writer("assets/a1/source", "video/mp4") as writer:
        writer.write(b"x" * 40_000_000)
        assert s3.unfinished_uploads() == ["media/flow/assets/a1/source"]

    assert s3.unfinished_uploads() == []
    assert s3.keys() == []


_UPLOAD_UNTIL_KILLED = """
import sys, time
from media_common.settings import StoreSettings
from media_common.store import open_store
writer = open_store(StoreSettings(store_url=sys.argv[1])).writer("assets/a1/source", "video/mp4")
writer.write(b"x" * 30_000_000)
print("half", flush=True)
time.sleep(60)
"""


def test_a_killed_process_leaves_no_object(s3: S3Service, s3_store: MediaStore) -> None:
    process = other_process.start(_UPLOAD_UNTIL_KILLED, s3.url)
    assert other_process.said(process) == "half"
    process.kill()
    process.communicate()

    assert s3_store.head("assets/a1/source") is None
    assert s3.keys() == []


def test_a_signed_address_serves_the_object_to_anyone(s3_store: MediaStore) -> None:
    s3_store.put_bytes(KEY, b"#EXTM3U\n", content_type="application/vnd.apple.mpegurl")
    url = s3_store.signed_url(KEY, 60)
    assert url is not None

    with urlopen(url, timeout=10) as answer:
        assert answer.read() == b"#EXTM3U\n"
        assert answer.headers["Content-Type"] == "application/vnd.apple.mpegurl"


def test_an_upload_needs_the_memory_of_its_parts_only(s3: S3Service) -> None:
    grown_mib = int(other_process.run(other_process.UPLOAD_MUCH, s3.url, "150"))

    assert grown_mib < 60


def test_a_bucket_that_is_not_there_is_an_unavailable_store(s3: S3Service) -> None:
    store = open_store(StoreSettings(store_url="s3://no-such-bucket"))

    with pytest.raises(StoreUnavailable, match="the bucket does not exist"):
        store.check()
    with pytest.raises(StoreUnavailable, match="the bucket does not exist"):
        store.get_bytes(KEY)
    with pytest.raises(StoreUnavailable, match="the bucket does not exist"):
        store.put_bytes(KEY, b"x")


def test_a_service_that_does_not_answer_is_unavailable_within_seconds(
    s3: S3Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing_port() as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        store = open_store(StoreSettings(store_url=s3.url))
        started = time.monotonic()

        with pytest.raises(StoreUnavailable, match="checking the store"):
            store.check()
        with pytest.raises(StoreUnavailable, match="writing"):
            store.put_bytes(KEY, b"x")
        with pytest.raises(StoreUnavailable, match="writing"), store.writer(KEY, "video/mp4") as writer:
            writer.write(b"x" * 20_000_000)
            writer.commit()

    assert time.monotonic() - started < 15
