"""A local file that appears under its name whole or not at all."""

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Self

#: What has been written is handed to the disk this often, in bytes, so that the wait at the end is short.
_FLUSH_EVERY = 8 * 1024 * 1024
_COPY_CHUNK = 1024 * 1024
#: What the kernel says where a pipe cannot be spliced into this kind of file, or not at all.
_NO_SPLICE = frozenset({errno.EINVAL, errno.ENOSYS, errno.EPERM})


class StagedFile:
    """Bytes on their way to `target`.

    Where the file system can (O_TMPFILE: ext4, xfs, btrfs, tmpfs), the file has no name until it is
    committed, so that not even a killed process leaves anything behind. Elsewhere it is staged beside its
    target as ``<name>#<digits>``: obstore leaves such names out of listings and does not open them.

    durable: `commit` waits until content and name are on the disk (a power cut cannot undo it).
    """

    def __init__(self, target: Path, *, durable: bool) -> None:
        self._target, self._durable = target, durable
        self._staged: Path | None = None
        self._written = self._flushed = 0
        try:
            self._fd = self._open()
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._fd = self._open()

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Append; gives the number of bytes, which is all of them."""
        view = memoryview(data).cast("B")
        written = 0
        while written < len(view):  # the kernel may take a part only
            written += os.write(self._fd, view[written:])
        self._count(written)
        return written

    def write_from(self, pipe: int, size: int) -> None:
        """Append `size` bytes that wait in a pipe, without bringing them into this process where the kernel can."""
        left = size
        while left:
            try:
                moved = os.splice(pipe, self._fd, left)
            except OSError as error:
                if error.errno not in _NO_SPLICE:
                    raise
                while left:
                    left -= self.write(os.read(pipe, min(left, _COPY_CHUNK)))
                return
            left -= moved
            self._count(moved)

    def read_back(self, buffer: memoryview, offset: int) -> int:
        """Fill a buffer from what has been written, wherever the next write goes; gives the number of bytes."""
        return os.preadv(self._fd, [buffer], offset)

    def copy_from(self, path: Path) -> None:
        """Append a file's content."""
        buffer = memoryview(bytearray(_COPY_CHUNK))
        with path.open("rb", buffering=0) as source:
            while size := source.readinto(buffer):
                self.write(buffer[:size])

    def commit(self, *, if_absent: bool = False) -> bool:
        """Give the file its name. False: `if_absent` was asked and the name is taken."""
        if self._durable:
            os.fdatasync(self._fd)
        try:
            placed = self._place(if_absent=if_absent)
        except FileNotFoundError:  # the folder was removed meanwhile
            self._target.parent.mkdir(parents=True, exist_ok=True)
            placed = self._place(if_absent=if_absent)
        self.abort()
        if placed and self._durable:
            sync_folder(self._target.parent)
        return placed

    def abort(self) -> None:
        """Leave nothing behind. After `commit`, does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._staged is not None:
            self._staged.unlink(missing_ok=True)
            self._staged = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()

    def _open(self) -> int:
        folder = self._target.parent
        if hasattr(os, "O_TMPFILE"):
            with suppress(OSError):
                return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
        staged = self._beside()
        fd = os.open(staged, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o666)
        self._staged = staged
        return fd

    def _beside(self) -> Path:
        return self._target.with_name(f"{self._target.name}#{secrets.randbits(63)}")

    def _place(self, *, if_absent: bool) -> bool:
        if self._staged is None or if_absent:
            try:
                self._link(self._target)
            except FileExistsError:
                if if_absent:
                    return False
            else:
                return True
        # A name that is taken can only be replaced by a rename, for which this file needs a name of its own.
        if self._staged is None:
            staged = self._beside()
            self._link(staged)
            self._staged = staged
        self._staged.replace(self._target)
        self._staged = None
        return True

    def _link(self, name: Path) -> None:
        if self._staged is not None:
            os.link(self._staged, name)
        else:
            # src_dir_fd makes it linkat(2), which follows the link in /proc to the nameless file
            os.link(f"/proc/self/fd/{self._fd}", name, src_dir_fd=self._fd, follow_symlinks=True)

    def _count(self, written: int) -> None:
        self._written += written
        if self._durable and self._written - self._flushed >= _FLUSH_EVERY:
            self._start_flush()

    def _start_flush(self) -> None:
        # Asks the kernel to write these pages out now, without waiting; dirty pages stay cached.
        with suppress(OSError):
            os.posix_fadvise(self._fd, self._flushed, self._written - self._flushed, os.POSIX_FADV_DONTNEED)
        self._flushed = self._written


def move_into(target: Path, path: Path, *, durable: bool) -> bool:
    """Move a file to its place, replacing what is there. False: it can't be, from where it lies.

    Raises OSError; ValueError for anything but a regular file.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(f"{path} is no regular file")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.parent.stat().st_dev != path.lstat().st_dev:
        return False
    if durable:
        with path.open("rb") as file:
            os.fdatasync(file.fileno())
    try:
        path.replace(target)
    except OSError as error:
        # Two mounts of one file system, such as two volumes of a container, are as good as two file systems.
        if error.errno != errno.EXDEV:
            raise
        return False
    if durable:
        sync_folder(target.parent)
    return True


def sync_folder(folder: Path) -> None:
    """Bring a folder's names to the disk, and its own name in the folder above."""
    for path in (folder, folder.parent):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
