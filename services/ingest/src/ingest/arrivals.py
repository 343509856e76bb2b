"""A count that all worker processes of one ingest add to, in memory they share."""

import mmap
import os
import threading

#: Processes with the same number modulo this share a place; two of them writing at once may then lose a count.
_PLACES = 128
_BYTES = 8


class Arrivals:
    """Messages let in since the start. Make it before the fork; any process and thread may add and read."""

    def __init__(self) -> None:
        self._places = memoryview(mmap.mmap(-1, _PLACES * _BYTES)).cast("q")
        self._lock = threading.Lock()

    def add(self, count: int = 1) -> None:
        """Count messages let in by this process."""
        with self._lock:
            self._places[os.getpid() % _PLACES] += count

    def total(self) -> int:
        """Give what all processes counted."""
        return sum(self._places)
