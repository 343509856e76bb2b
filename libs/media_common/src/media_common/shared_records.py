"""Small records by name, many to a file: written once, never changed, and cheap to make by the thousand.

A new file for each record costs ext4 a new inode, which is a quarter of a millisecond where many files have been
deleted in the last half minute. Here a process appends its records to a file of its own, and a record's name is a hard
link to that file: links are made exclusively, so of all processes that want a name one gets it, and the record is
there before its name is. A file takes RECORDS_PER_FILE records, so that whoever copies links as files copies little.
"""

import errno
import fcntl
import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path

#: Records in one file; a copy that does not keep links has as many copies of it.
RECORDS_PER_FILE = 64


class SharedRecords:
    """Makes records. Thread-safe; every method may raise OSError."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fd, self._file, self._room = -1, "", 0

    def create(self, path: str, data: bytes) -> bytes | None:
        """Make the record unless there is one; gives that one, None when it is ours. ``data`` is one line."""
        if b"\n" in data:
            raise ValueError("a record is one line")
        # One at a time: the first record of a name in a file is the one that its link stands for.
        with self._lock:
            try:
                self._append(path, data)
                os.link(self._file, path)
            except FileExistsError:
                pass
            except OSError:
                self._leave_file()  # nobody knows what its end looks like
                raise
            else:
                return None
        return read(path) or self._repair(path, data)

    def _append(self, path: str, data: bytes) -> None:
        folder, _, name = path.rpartition("/")
        if not self._room or not self._file.startswith(f"{folder}/"):
            self._leave_file()
            self._fd, self._file = _new_file(folder)
            self._room = RECORDS_PER_FILE
        line = b"%s %s\n" % (name.encode(), data)
        if os.write(self._fd, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._room -= 1

    def _leave_file(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            with suppress(OSError):  # its records' names are left, if it has any
                Path(self._file).unlink()
        self._fd, self._file, self._room = -1, "", 0

    def _repair(self, path: str, data: bytes) -> bytes | None:
        """Make a record whose name is there without it: a power cut can keep the one and lose the other."""
        with Path(path).open("rb") as empty:
            fcntl.flock(empty, fcntl.LOCK_EX)
            existing = read(path)  # by its name: somebody may have repaired it before us
            if existing is not None:
                return existing
            with self._lock:
                self._leave_file()  # in which somebody's vain attempt at this name may come first
                self._append(path, data)
                ours = Path(f"{path}#{secrets.randbits(63)}")
                ours.hardlink_to(self._file)
            ours.replace(path)
        return None


def read(path: str) -> bytes | None:
    """Give the record of this name, None when there is none."""
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    begin = path.rpartition("/")[2].encode() + b" "
    # the last piece is what a writer that was killed has left unfinished, or nothing
    return next((line[len(begin) :] for line in lines[:-1] if line.startswith(begin)), None)


def _new_file(folder: str) -> tuple[int, str]:
    path = f"{folder}/records#{secrets.randbits(63)}"
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o666), path
    except FileNotFoundError:
        Path(folder).mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o666), path
