"""The object store: a local folder or an S3-compatible service, with one face."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from media_common.local_store import LocalMediaStore
from media_common.media_store import FileWriter, MediaStore, StoreWriter
from media_common.object_info import Folder, ObjectInfo
from media_common.s3_store import S3MediaStore
from media_common.settings import StoreSettings

__all__ = ["FileWriter", "Folder", "MediaStore", "ObjectInfo", "StoreWriter", "open_store"]


def open_store(settings: StoreSettings) -> MediaStore:
    """Open the store that the settings name; a local folder is made. Raises StoreUnavailable."""
    url = urlsplit(settings.store_url)
    if url.scheme == "file":
        return LocalMediaStore(Path(unquote(url.path)), durable=settings.store_fsync)
    return S3MediaStore(url.netloc, unquote(url.path).strip("/"))
