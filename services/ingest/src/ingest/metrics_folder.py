"""The folder in which prometheus_client keeps the numbers of all worker processes, so that one scrape sees them all.

It has to be named before prometheus_client is imported, which is why this module imports nothing of ours.
"""

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

#: prometheus_client looks at this variable when it is imported, and never again.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

_PREFIX = "mediaflow-ingest-metrics-"
#: Locked for as long as a process of its ingest lives, whatever ends it.
_LOCK = "in-use"
#: Seconds between a folder's making and its lock, at the very most.
_YOUNG_S = 60.0


def prepare_metrics_folder() -> None:
    """Name a fresh folder; counters start from zero with the process, as Prometheus expects."""
    given = os.environ.get(VARIABLE)
    if not given:
        _remove_deserted(Path(tempfile.gettempdir()))
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        _lock(folder)  # never closed: the forked workers keep it too
        os.environ[VARIABLE] = str(folder)
        return
    Path(given).mkdir(parents=True, exist_ok=True)
    for stale in Path(given).glob("*.db"):
        stale.unlink()


def remove_metrics_folder() -> None:
    """Remove the folder; for the process that made it, when it ends."""
    if folder := os.environ.get(VARIABLE):
        shutil.rmtree(folder, ignore_errors=True)


def _remove_deserted(parent: Path) -> None:
    """Remove what an ingest that was killed could not take with it."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else's, in use, or removed by another that starts just now
            if folder.stat().st_uid == os.getuid() and time.time() - folder.stat().st_mtime > _YOUNG_S:
                lock = _lock(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _lock(folder: Path) -> int:
    """Take a folder's lock and give its descriptor. Raises OSError where it is taken."""
    lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock
