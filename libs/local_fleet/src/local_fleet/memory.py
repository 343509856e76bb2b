"""Memory of a process together with its children."""

import time
from dataclasses import dataclass

import psutil

#: Reading a family's memory takes milliseconds; who looks every second gets a figure of this age at most, in seconds.
_FRESH_S = 3.0


@dataclass
class MemoryReading:
    """The memory of one process after the other, read anew when the last figure is old or another process's.

    What has only just been started is read at every look: it is small one moment and whole the next.
    """

    _pid: int | None = None
    _bytes: int = 0
    _read_at: float = 0.0
    _known_since: float = 0.0

    def of(self, pid: int) -> int:
        """Memory of `pid` and its descendants in bytes, a few seconds old at most."""
        now = time.monotonic()
        if pid != self._pid:
            self._pid, self._known_since = pid, now
        if now - self._known_since <= _FRESH_S or now - self._read_at > _FRESH_S:
            self._bytes, self._read_at = memory_bytes(pid), now
        return self._bytes


def memory_bytes(pid: int) -> int:
    """Memory of `pid` and its descendants in bytes; a page that several share counts once (proportional set size)."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    return sum(map(_share, family))


def _share(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:
        return _resident(process)
    except psutil.Error:  # it has ended
        return 0


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
