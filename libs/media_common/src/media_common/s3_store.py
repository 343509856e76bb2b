"""Objects in an S3-compatible service."""

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
import obstore.store
from obstore.exceptions import AlreadyExistsError

from media_common.errors import ObjectNotFound
from media_common.media_store import MediaStore, StoreWriter, checked
from media_common.store_edge import in_store, translated

if TYPE_CHECKING:
    from obstore import WritableFile
    from obstore.store import ClientConfig, RetryConfig

#: Bytes of one part of an upload: 10,000 parts, the most S3 takes, make 80 GB.
PART_SIZE = 8 * 1024 * 1024
#: Parts under way at once; with the part being filled this bounds an upload's memory to 32 MiB.
PARTS_AT_ONCE = 3
#: Bytes asked for at once when an object is fetched as a whole.
FETCH_CHUNK = 16 * 1024 * 1024
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


class S3MediaStore(MediaStore):
    """A bucket, below a prefix. Address and credentials come from the AWS_* variables.

    An upload whose process dies leaves no object, but its parts stay hidden in the bucket until a lifecycle
    rule removes them (AbortIncompleteMultipartUpload): set one.
    """

    def __init__(self, bucket: str, prefix: str = "") -> None:
        # The driver would ask again for three minutes; callers have their own patience.
        retries: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=15)}
        options: ClientConfig = {"connect_timeout": "5s", "timeout": "60s"}
        if any(os.environ.get(name, "").startswith("http://") for name in _ENDPOINTS):
            options["allow_http"] = True
        with translated(f"opening the bucket {bucket}"):
            self._s3 = obstore.store.S3Store(
                bucket, prefix=prefix or None, client_options=options, retry_config=retries
            )
        super().__init__(self._s3)

    def put_bytes(
        self,
        key: str,
        data: bytes,
        *,
        content_type: str | None = None,
        if_absent: bool = False,
        durable: bool = False,
    ) -> bool:
        """See `MediaStore.put_bytes`."""
        with in_store(f"writing {key}"):
            try:
                obstore.put(
                    self._s3,
                    checked(key),
                    data,
                    attributes={"Content-Type": content_type} if content_type else None,
                    mode="create" if if_absent else "overwrite",
                    use_multipart=False,
                )
            except AlreadyExistsError:
                return False
        return True

    def put_file(self, key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        """See `MediaStore.put_file`."""
        with in_store(f"writing {key}"):
            obstore.put(
                self._s3,
                checked(key),
                path,
                attributes={"Content-Type": content_type},
                chunk_size=PART_SIZE,
                max_concurrency=PARTS_AT_ONCE,
            )
        if consume:
            path.unlink()

    def writer(self, key: str, content_type: str) -> StoreWriter:
        """See `MediaStore.writer`."""
        with in_store(f"writing {key}"):
            file = obstore.open_writer(
                self._s3,
                checked(key),
                attributes={"Content-Type": content_type},
                buffer_size=PART_SIZE,
                max_concurrency=PARTS_AT_ONCE,
            )
        return _S3Writer(key, file)

    def delete_prefix(self, prefix: str) -> None:
        """See `MediaStore.delete_prefix`."""
        keys = list(self.list_keys(prefix))
        if keys:
            with in_store(f"deleting {prefix}"):
                obstore.delete(self._s3, keys)

    def local_path(self, key: str) -> Path | None:
        """See `MediaStore.local_path`."""
        return None

    def fetch(self, key: str, folder: Path) -> Path:
        """See `MediaStore.fetch`."""
        info = self.head(key)
        if info is None:
            raise ObjectNotFound(f"reading {key}: there is no such object")
        path = folder / key.rsplit("/", 1)[-1]
        with translated(f"fetching {key}"), path.open("wb") as file:
            for start in range(0, info.size, FETCH_CHUNK):
                file.write(self._read_chunk(key, start, min(FETCH_CHUNK, info.size - start)))
        return path

    def signed_url(self, key: str, expires_s: float) -> str | None:
        """See `MediaStore.signed_url`."""
        with in_store(f"signing an address for {key}"):
            return obstore.sign(self._s3, "GET", checked(key), timedelta(seconds=expires_s))

    def check(self) -> None:
        """See `MediaStore.check`."""
        with in_store("checking the store"):
            obstore.list(self._s3, "assets/.none").collect()  # answered from the index, whatever the size


class _S3Writer(StoreWriter):
    def __init__(self, key: str, file: "WritableFile") -> None:
        self._what, self._file, self._open = f"writing {key}", file, True

    def write(self, data: bytes | bytearray | memoryview) -> int:
        with in_store(self._what):
            return self._file.write(data)

    def commit(self) -> None:
        with in_store(self._what):
            self._file.close()
        self._open = False

    def abort(self) -> None:
        if self._open:
            self._open = False
            with in_store(self._what):
                # the driver gives the parts up when it sees an exception leave its block
                self._file.__exit__(RuntimeError, RuntimeError("given up"), None)
