"""What every object store can do, and the part of it that is the same for all of them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import obstore

from media_common.errors import ObjectNotFound, StoreUnavailable
from media_common.object_info import Folder, ObjectInfo
from media_common.store_edge import in_store

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import LocalStore, S3Store

#: Bytes of one chunk of a range that is read.
READ_CHUNK = 1024 * 1024
#: Objects of one page of a listing, and of one request to delete: the most S3 takes.
_LIST_PAGE = _DELETE_BATCH = 1000


def checked(key: str) -> str:
    """Give the key back; ValueError for one that could leave the store or its own place in it.

    Keys come from ``media_common.layout``, which lets nothing else through: this is the second lock.
    """
    steps = key.split("/")
    if not key or any(step in ("", ".", "..") or "#" in step or "\0" in step for step in steps):
        raise ValueError(f"{key!r} is no key")
    return key


class StoreWriter(ABC):
    """A streaming upload in flat memory.

    The object appears, whole, at `commit`. Leaving the ``with`` block without it, an exception, or the death of
    the process leave no object and no part of one.
    """

    @abstractmethod
    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Append; gives the number of bytes, which is all of them. Raises StoreUnavailable, StoreFull."""

    @abstractmethod
    def commit(self) -> None:
        """Make the object. Raises StoreUnavailable, StoreFull."""

    @abstractmethod
    def abort(self) -> None:
        """Give the upload up. After `commit`, does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()


class FileWriter(StoreWriter):
    """A writer into a file of this machine: the kernel can bring it bytes, and it gives back what it has taken."""

    @abstractmethod
    def write_from(self, pipe: int, size: int) -> None:
        """Append `size` bytes that wait in a pipe (a descriptor). Raises StoreUnavailable, StoreFull."""

    @abstractmethod
    def read_back(self, buffer: memoryview, offset: int) -> int:
        """Fill a buffer from what has been written; gives the number of bytes. Raises StoreUnavailable."""


class MediaStore(ABC):
    """Objects by key (``media_common.layout``). Writes are atomic: an object is there whole or not at all.

    Safe to use from many threads; in a process that forks, only after the fork. Every method may raise
    StoreUnavailable, those that write StoreFull.
    """

    def __init__(self, objects: "LocalStore | S3Store") -> None:
        self._objects = objects

    @abstractmethod
    def put_bytes(
        self,
        key: str,
        data: bytes,
        *,
        content_type: str | None = None,
        if_absent: bool = False,
        durable: bool = False,
    ) -> bool:
        """Store at once. False: `if_absent` was asked and there is an object already, which stays.

        durable: a power cut after this call cannot undo it (S3: always so; local folder: unless fsync is off).
        """

    @property
    def near(self) -> bool:
        """True when a small read or write takes microseconds, for there is no round trip in it."""
        return False

    def create_record(self, key: str, data: bytes) -> bytes | None:
        """Store one line of text unless there is one; gives the one that is there already, else None.

        Not durable: for what a power cut may take. A local folder has a form of its own for these, many to a file, so
        they are read by `read_record` only.
        """
        while not self.put_bytes(key, data, content_type="application/json", if_absent=True):
            existing = self.get_bytes(key)
            if existing is not None:  # else it was removed meanwhile
                return existing
        return None

    def read_record(self, key: str) -> bytes | None:
        """Give what `create_record` stored, None when it is not there."""
        return self.get_bytes(key)

    def exists(self, key: str) -> bool:
        """Tell whether the object is there."""
        return self.head(key) is not None

    @abstractmethod
    def put_file(self, key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        """Store a file, durably. consume: the file is given away, so it may be moved instead of copied."""

    @abstractmethod
    def writer(self, key: str, content_type: str) -> StoreWriter:
        """Open a streaming upload; durable once committed."""

    @abstractmethod
    def delete_prefix(self, prefix: str) -> None:
        """Remove every object below a prefix."""

    @abstractmethod
    def local_path(self, key: str) -> Path | None:
        """Give the file of an object that is there, None otherwise; always None for S3."""

    @abstractmethod
    def fetch(self, key: str, folder: Path) -> Path:
        """Give a file with the object's content, to be read only: the store's own, or a copy in `folder`.

        Raises ObjectNotFound.
        """

    @abstractmethod
    def signed_url(self, key: str, expires_s: float) -> str | None:
        """Give an address under which anyone may read the object for a while; None for a local folder."""

    @abstractmethod
    def check(self) -> None:
        """Raise StoreUnavailable when the store cannot be used."""

    def put_json(self, key: str, obj: Mapping[str, Any], *, if_absent: bool = False, durable: bool = False) -> bool:
        """Store as JSON; see `put_bytes`."""
        data = json.dumps(obj, ensure_ascii=False, separators=(",", ":")).encode()
        return self.put_bytes(key, data, content_type="application/json", if_absent=if_absent, durable=durable)

    def get_bytes(self, key: str) -> bytes | None:
        """Give the object's content, None when it is not there."""
        try:
            with in_store(f"reading {key}"):
                return bytes(obstore.get(self._objects, checked(key)).bytes())
        except ObjectNotFound:
            return None

    def get_json(self, key: str) -> dict[str, Any] | None:
        """Give the JSON object, None when it is not there or is something else."""
        data = self.get_bytes(key)
        if data is None:
            return None
        try:
            value = json.loads(data)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    def head(self, key: str) -> ObjectInfo | None:
        """Describe the object, None when it is not there."""
        try:
            with in_store(f"looking at {key}"):
                return _described(obstore.head(self._objects, checked(key)))
        except ObjectNotFound:
            return None

    def read_range(self, key: str, start: int, end_exclusive: int) -> Iterator[bytes]:
        """Give the bytes from `start` to before `end_exclusive` in chunks, reading no more than asked.

        A range that ends beyond the object ends with it. Raises ObjectNotFound.
        """
        if not 0 <= start <= end_exclusive:
            raise ValueError(f"{start}-{end_exclusive} is no range")
        while start < end_exclusive:
            wanted = min(READ_CHUNK, end_exclusive - start)
            chunk = self._read_chunk(key, start, wanted)
            if chunk:
                yield chunk
            if len(chunk) < wanted:
                return
            start += wanted

    def list_folder(self, prefix: str) -> Folder:
        """List one level below a prefix that ends in a slash (``assets/``)."""
        with in_store(f"listing {prefix}"):
            listing = obstore.list_with_delimiter(self._objects, prefix.rstrip("/"))
        return Folder(
            names=tuple(_described(meta) for meta in listing["objects"]),
            folders=tuple(f"{folder.rstrip('/')}/" for folder in listing["common_prefixes"]),
        )

    def list_keys(self, prefix: str) -> Iterator[str]:
        """Give every key below a prefix, in no particular order."""
        with in_store(f"listing {prefix}"):
            for page in obstore.list(self._objects, prefix.rstrip("/")):
                for meta in page:
                    yield meta["path"]

    def list_objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """Describe every object below a prefix, in no particular order; memory stays flat, however many there are."""
        with in_store(f"listing {prefix}"):
            for page in obstore.list(self._objects, prefix.rstrip("/"), chunk_size=_LIST_PAGE):
                for meta in page:
                    yield _described(meta)

    def delete_all(self, keys: Iterable[str]) -> None:
        """Remove these objects, many in one request where the store can; those that are not there are no error."""
        for batch in _batches([checked(key) for key in keys], _DELETE_BATCH):
            try:
                with in_store(f"deleting {len(batch)} objects"):
                    obstore.delete(self._objects, batch)
            except ObjectNotFound:  # a local folder stops at the first that is missing
                for key in batch:
                    self.delete(key)

    def delete(self, key: str) -> None:
        """Remove the object; one that is not there is no error."""
        try:
            with in_store(f"deleting {key}"):
                obstore.delete(self._objects, checked(key))
        except ObjectNotFound:
            return

    def _read_chunk(self, key: str, start: int, length: int) -> bytes:
        try:
            with in_store(f"reading {key}"):
                return bytes(obstore.get_range(self._objects, checked(key), start=start, length=length))
        except StoreUnavailable:
            # A start at or beyond the end is an error there, and no bytes to us.
            info = self.head(key)
            if info is None or start < info.size:
                raise
            return b""


def _described(meta: "ObjectMeta") -> ObjectInfo:
    return ObjectInfo(key=meta["path"], size=meta["size"], modified=meta["last_modified"], etag=meta["e_tag"])


def _batches(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
