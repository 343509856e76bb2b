"""Objects in a folder of this machine."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import obstore.store

from media_common.errors import ObjectNotFound, StoreUnavailable
from media_common.media_store import FileWriter, MediaStore, StoreWriter, checked
from media_common.shared_records import SharedRecords, read
from media_common.staged_file import StagedFile, move_into
from media_common.store_edge import translated


class LocalMediaStore(MediaStore):
    """A folder. Lists and ranges are obstore's; writing goes through `StagedFile`, which can also outlast a power cut.

    Content types are not kept: whoever serves a file knows them by its name.
    """

    def __init__(self, root: Path, *, durable: bool = True) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"the store's folder {root} cannot be made: {error.strerror}") from None
        super().__init__(obstore.store.LocalStore(root))
        self._root, self._durable = root, durable
        self._records = SharedRecords()

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
        with (
            translated(f"writing {key}"),
            StagedFile(self._path(key), durable=durable and self._durable) as file,
        ):
            file.write(data)
            return file.commit(if_absent=if_absent)

    def get_bytes(self, key: str) -> bytes | None:
        """See `MediaStore.get_bytes`; the file itself, since obstore hands each read to another thread."""
        path = f"{self._root}/{checked(key)}"
        try:
            # Not by Path, which takes half as long again.
            with translated(f"reading {key}"), suppress(IsADirectoryError), open(path, "rb") as file:  # noqa: PTH123
                return file.read()
        except ObjectNotFound:
            return None
        return None  # a folder is no object

    @property
    def near(self) -> bool:
        """See `MediaStore.near`."""
        return True

    def create_record(self, key: str, data: bytes) -> bytes | None:
        """See `MediaStore.create_record`."""
        with translated(f"writing {key}"):
            return self._records.create(f"{self._root}/{checked(key)}", data)

    def read_record(self, key: str) -> bytes | None:
        """See `MediaStore.read_record`."""
        with translated(f"reading {key}"):
            return read(f"{self._root}/{checked(key)}")

    def exists(self, key: str) -> bool:
        """See `MediaStore.exists`."""
        with translated(f"looking at {key}"):
            return self._path(key).exists()

    def put_file(self, key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        """See `MediaStore.put_file`."""
        target = self._path(key)
        with translated(f"writing {key}"):
            if consume and move_into(target, path, durable=self._durable):
                return
            with StagedFile(target, durable=self._durable) as file:
                file.copy_from(path)
                file.commit()
        if consume:
            path.unlink()

    def writer(self, key: str, content_type: str) -> StoreWriter:
        """See `MediaStore.writer`."""
        with translated(f"writing {key}"):
            return _LocalWriter(key, StagedFile(self._path(key), durable=self._durable))

    def delete_prefix(self, prefix: str) -> None:
        """See `MediaStore.delete_prefix`."""
        with translated(f"deleting {prefix}"):
            _remove_tree(self._path(prefix.rstrip("/")))

    def local_path(self, key: str) -> Path | None:
        """See `MediaStore.local_path`."""
        path = self._path(key)
        return path if path.is_file() else None

    def fetch(self, key: str, folder: Path) -> Path:
        """See `MediaStore.fetch`."""
        path = self.local_path(key)
        if path is None:
            raise ObjectNotFound(f"reading {key}: there is no such object")
        return path

    def signed_url(self, key: str, expires_s: float) -> str | None:
        """See `MediaStore.signed_url`."""
        return None

    def check(self) -> None:
        """See `MediaStore.check`."""
        if not self._root.is_dir():
            raise StoreUnavailable(f"the store's folder {self._root} is not there")
        if not os.access(self._root, os.R_OK | os.W_OK | os.X_OK):
            raise StoreUnavailable(f"the store's folder {self._root} is not ours to write")

    def _path(self, key: str) -> Path:
        return self._root / checked(key)


class _LocalWriter(FileWriter):
    def __init__(self, key: str, file: StagedFile) -> None:
        self._what, self._file = f"writing {key}", file

    def write(self, data: bytes | bytearray | memoryview) -> int:
        with translated(self._what):
            return self._file.write(data)

    def write_from(self, pipe: int, size: int) -> None:
        with translated(self._what):
            self._file.write_from(pipe, size)

    def read_back(self, buffer: memoryview, offset: int) -> int:
        with translated(self._what):
            return self._file.read_back(buffer, offset)

    def commit(self) -> None:
        with translated(self._what):
            self._file.commit()

    def abort(self) -> None:
        with translated(self._what):
            self._file.abort()


def _remove_tree(path: Path) -> None:
    while path.exists():
        # what someone else removed meanwhile is gone too, as wanted
        with suppress(FileNotFoundError):
            shutil.rmtree(path)
