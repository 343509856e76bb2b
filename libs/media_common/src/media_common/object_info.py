"""What the store says of its objects."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object: key from the store's root, size in bytes, time of its last change, entity tag."""

    key: str
    size: int
    modified: datetime
    etag: str | None


@dataclass(frozen=True, slots=True)
class Folder:
    """One level of the store: the objects in it, and the folders below it as full prefixes (``a/b/``)."""

    names: tuple[ObjectInfo, ...]
    folders: tuple[str, ...]
