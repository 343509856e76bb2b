"""SHA-256 of a stream, on a second core while the first one reads and writes."""

from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256

#: Smaller pieces are hashed faster than they are handed to another thread.
_WORTH_A_THREAD_BYTES = 128 * 1024


class StreamDigest:
    """The hash of what it is given, piece by piece; holds on to one piece at most."""

    def __init__(self) -> None:
        self._hash = sha256()
        self._thread: ThreadPoolExecutor | None = None
        self._running: Future[None] | None = None

    def update(self, piece: bytes) -> None:
        """Take the next piece; it may still be being hashed when this returns."""
        self._wait()
        if len(piece) < _WORTH_A_THREAD_BYTES:
            self._hash.update(piece)
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "digest")
        self._running = self._thread.submit(self._hash.update, piece)

    def hexdigest(self) -> str:
        """Give the hash of everything, in hex."""
        self._wait()
        return self._hash.hexdigest()

    def close(self) -> None:
        """End the thread, if there is one."""
        if self._thread is not None:
            self._thread.shutdown()

    def _wait(self) -> None:
        if self._running is not None:
            self._running.result()
            self._running = None
