"""Folders for the files of running jobs, which are gone when the job is."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "mediaflow-job-"
_LOCK = ".lock"
#: A folder younger than this, in seconds, may not have been locked yet.
_GRACE_S = 60.0


@contextmanager
def scratch_folder(root: Path) -> Iterator[Path]:
    """Make an empty folder below `root` for the length of the block, however that ends."""
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root)).absolute()
    try:
        with _locked(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(root: Path, *, grace_s: float = _GRACE_S) -> int:
    """Remove the folders of jobs whose process was killed; gives how many.

    A running job holds a lock on its folder, and the kernel releases it with the process.
    """
    removed = 0
    for folder in root.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime >= grace_s and _is_abandoned(folder):
                shutil.rmtree(folder)
                removed += 1
    return removed


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    # Not inheritable: a child must not keep the folder of a dead job locked.
    fd = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _is_abandoned(folder: Path) -> bool:
    try:
        fd = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
