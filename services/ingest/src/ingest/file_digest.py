"""SHA-256 of a file while it grows, read back on a second core."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256

from media_common.errors import StoreUnavailable

#: Bytes that are handed to the other thread at once, and how many such steps may wait for it.
_STEP_BYTES = 1024 * 1024
_MOST_STEPS = 16
#: Bytes read at once: few enough to stay in the processor's own cache between reading and hashing.
_READ_BYTES = 256 * 1024


class FileDigest:
    """The hash of everything that has been written; it reads the same pages that the disk will get.

    read: fills a buffer from an offset and gives the number of bytes; its errors come out of the next call here.
    """

    def __init__(self, read: Callable[[memoryview, int], int]) -> None:
        self._read = read
        self._hash = sha256()
        self._thread: ThreadPoolExecutor | None = None
        self._steps: deque[Future[None]] = deque()
        self._size = self._handed = 0
        self._buffer: memoryview | None = None

    def grow(self, size: int) -> None:
        """Note that the file is so many bytes longer; waits when the hash is too far behind."""
        self._size += size
        if self._size - self._handed < _STEP_BYTES:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "digest")
        self._steps.append(self._thread.submit(self._follow, self._handed, self._size))
        self._handed = self._size
        if len(self._steps) > _MOST_STEPS:
            self._steps.popleft().result()

    def hexdigest(self) -> str:
        """Give the hash of everything, in hex. The file has to be open still."""
        while self._steps:
            self._steps.popleft().result()
        self._follow(self._handed, self._size)
        self._handed = self._size
        return self._hash.hexdigest()

    def close(self) -> None:
        """End the thread, if there is one. The file may be closed after this, and not before."""
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)

    def _follow(self, start: int, end: int) -> None:
        if self._buffer is None:
            self._buffer = memoryview(bytearray(min(_READ_BYTES, max(end - start, 1))))
        while start < end:
            size = self._read(self._buffer[: end - start], start)
            if not size:
                raise StoreUnavailable("the file became shorter while it was being written")
            self._hash.update(self._buffer[:size])
            start += size
