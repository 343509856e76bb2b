"""What is kept beside dead letters (why a worker gave up), looked up and marked many at a time."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

from mq_common.dead_letters import DeadLetter, GaveUp
from mq_common.errors import MediaflowError

T = TypeVar("T")

#: Letters for one thread at a time: handing over each alone would cost more than most look-ups.
BATCH = 64
#: Threads, and so look-ups under way at once: a remote store takes some 10 ms for each.
_THREADS = 8
#: Seconds that a batch of near records may take; after a slower one the threads take over.
_NEAR_S = 0.1


class RecordsUnavailable(MediaflowError):
    """What is kept beside dead letters can't be read or written now."""


class Records(Protocol):
    """Implemented by whoever keeps the reasons. Both are called on many threads; both may raise RecordsUnavailable.

    ``near``: a record takes microseconds, so that a thread for it would only wait for the interpreter.
    """

    @property
    def near(self) -> bool:
        """Tell whether no round trip is in it."""
        ...

    def find(self, letters: Sequence[DeadLetter]) -> Sequence[GaveUp | None]:
        """Give for each letter why a worker gave up on it, None where nothing is kept about this death."""
        ...

    def replayed(self, letters: Sequence[DeadLetter]) -> None:
        """Note that these were put back: what is kept about their deaths is history now."""
        ...


class Stage:
    """Letters on their way through a pool of threads; they leave it in the order in which they came.

    Near records are dealt with at once, in the caller's thread, as long as they are as quick as they should be.
    """

    def __init__(self, records: Records | None) -> None:
        self._near = records is not None and records.near
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="records")
        self._batches: deque[tuple[list[DeadLetter], Future[object]]] = deque()

    def __len__(self) -> int:
        """Count the batches on their way."""
        return len(self._batches)

    def put(self, letters: list[DeadLetter], work: Callable[[list[DeadLetter]], object]) -> None:
        """Hand letters to the threads, in batches."""
        for start in range(0, len(letters), BATCH):
            batch = letters[start : start + BATCH]
            self._batches.append((batch, self._at_once(batch, work) if self._near else self._pool.submit(work, batch)))

    def _at_once(self, batch: list[DeadLetter], work: Callable[[list[DeadLetter]], object]) -> Future[object]:
        future: Future[object] = Future()
        began = time.monotonic()
        try:
            future.set_result(work(batch))
        except Exception as error:  # whoever takes the batch out asks for it, as with a thread's
            future.set_exception(error)
        self._near = time.monotonic() - began < _NEAR_S
        return future

    def done(self) -> Iterator[tuple[list[DeadLetter], "Future[object]"]]:
        """Take out the batches that are done, as far as all before them are."""
        while self._batches and self._batches[0][1].done():
            yield self._batches.popleft()

    def take_out(self) -> list[DeadLetter]:
        """Take out everything, done or not."""
        left = [letter for batch, _ in self._batches for letter in batch]
        self._batches.clear()
        return left

    def close(self) -> None:
        """End the threads; what waits for one is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)
