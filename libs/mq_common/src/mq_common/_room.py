"""Room in the publisher's window: submitters beyond it wait, and come back in batches."""

import threading
import time
from collections.abc import Callable


class Room:
    """Bounds what is on its way. Costs two length look-ups a message while there is room.

    ``occupied`` counts what is on its way now. Threads that look at the same moment may overshoot by their number.
    """

    def __init__(self, size: int, occupied: Callable[[], int]) -> None:
        self._size, self._occupied = size, occupied
        # Waking a submitter for every single answer would make the two threads fight over the interpreter.
        self._low_mark = size - max(1, size // 4)
        self._changed = threading.Condition()
        self._waiting = 0

    @property
    def there_is(self) -> bool:
        """True while there is room."""
        return self._occupied() < self._size

    def wait(self, timeout_s: float) -> bool:
        """Wait until there is room; False when there was none for ``timeout_s`` seconds."""
        if self._occupied() < self._size:
            return True
        deadline = time.monotonic() + timeout_s
        with self._changed:
            self._waiting += 1
            try:
                while self._occupied() >= self._size:
                    left = deadline - time.monotonic()
                    if left <= 0 or not self._changed.wait(left):
                        return self._occupied() < self._size
            finally:
                self._waiting -= 1
        return True

    def made(self) -> None:
        """Wake the waiting when enough room was made for it to be worth it."""
        if self._waiting and self._occupied() <= self._low_mark:
            with self._changed:
                self._changed.notify_all()
