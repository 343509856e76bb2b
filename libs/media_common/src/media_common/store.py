"""The object store: a local folder or an S3-compatible service, with one face."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from media_common.settings import StoreSettings


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object's key (from the store's root), size in bytes, time of change and entity tag."""

    key: str
    size: int
    modified: datetime
    etag: str | None


@dataclass(frozen=True, slots=True)
class Folder:
    """One level of the store: the objects in it and the folders below it (full prefixes, ending in a slash)."""

    names: tuple[ObjectInfo, ...]
    folders: tuple[str, ...]


class StoreWriter(ABC):
    """A streaming upload in flat memory. The object appears, whole, at `commit`; otherwise never."""

    @abstractmethod
    def write(self, data: bytes | bytearray | memoryview) -> int: ...

    @abstractmethod
    def commit(self) -> None: ...

    @abstractmethod
    def abort(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()


class MediaStore:
    """Objects by key. Every method may raise StoreUnavailable; those that write, StoreFull."""

    def put_bytes(self, key: str, data: bytes, *, content_type: str | None = None, if_absent: bool = False) -> bool:
        """Store at once. False: `if_absent` was asked and the object was there already."""
        raise NotImplementedError

    def put_file(self, key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        """Store a file. consume: the file is given away and may be moved."""
        raise NotImplementedError

    def writer(self, key: str, content_type: str) -> StoreWriter:
        """Open a streaming upload."""
        raise NotImplementedError

    def get_bytes(self, key: str) -> bytes | None:
        """Give the object's content; None when it is not there."""
        raise NotImplementedError

    def get_json(self, key: str) -> dict[str, Any] | None:
        """Give the JSON object; None when it is not there or is no JSON object."""
        raise NotImplementedError

    def put_json(self, key: str, obj: Mapping[str, Any], *, if_absent: bool = False) -> bool:
        """Store as JSON; see `put_bytes`."""
        raise NotImplementedError

    def head(self, key: str) -> ObjectInfo | None:
        """Describe the object; None when it is not there."""
        raise NotImplementedError

    def read_range(self, key: str, start: int, end_exclusive: int) -> Iterator[bytes]:
        """Give the bytes from start to before end_exclusive, in chunks. Raises ObjectNotFound."""
        raise NotImplementedError

    def list_folder(self, prefix: str) -> Folder:
        """List one level."""
        raise NotImplementedError

    def list_keys(self, prefix: str) -> Iterator[str]:
        """List every key below a prefix."""
        raise NotImplementedError

    def delete(self, key: str) -> None:
        """Remove the object; nothing happens when it is not there."""
        raise NotImplementedError

    def delete_prefix(self, prefix: str) -> None:
        """Remove every object below a prefix."""
        raise NotImplementedError

    def local_path(self, key: str) -> Path | None:
        """Give the object's file; None for stores that have none. Local store only."""
        raise NotImplementedError

    def fetch(self, key: str, folder: Path) -> Path:
        """Give a local file with the object's content, downloaded into `folder` if need be. Raises ObjectNotFound."""
        raise NotImplementedError

    def signed_url(self, key: str, expires_s: float) -> str | None:
        """Give an address that serves the object to anyone for a while. S3 only."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise StoreUnavailable when the store cannot be used."""
        raise NotImplementedError


def open_store(settings: StoreSettings) -> MediaStore:
    """Open the store that the settings name."""
    raise NotImplementedError
