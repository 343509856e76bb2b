"""Whether the door is open: an upload is let in only when its event can be published afterwards."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ingest import metrics
from ingest.problems import BROKER_UNAVAILABLE, TOO_BUSY, Problem

#: A connection that was lost a moment ago is usually back within this time; a request waits for it so long.
DOOR_WAIT_S = 0.5
_POLL_S = 0.01


class Readiness(Protocol):
    """What the door looks at."""

    @property
    def ready(self) -> bool:
        """True while a publish would be sent at once."""
        ...


class Door:
    """Refuses uploads that could not be announced or served well, before their bytes are taken.

    Back-pressure belongs here too: one more reason to refuse, known before the body is read.
    """

    def __init__(self, publisher: Readiness, *, files_at_once: int) -> None:
        self._publisher = publisher
        self._shut_since: float | None = None
        self._places = threading.BoundedSemaphore(files_at_once)

    def admit(self) -> None:
        """Let the request in, or raise Problem 503 within DOOR_WAIT_S seconds of the broker's loss."""
        if self._publisher.ready:
            self._shut_since = None
            return
        now = time.monotonic()
        if self._shut_since is None:
            self._shut_since = now
        while time.monotonic() - self._shut_since < DOOR_WAIT_S:
            time.sleep(_POLL_S)
            if self._publisher.ready:
                self._shut_since = None
                return
        raise Problem(
            BROKER_UNAVAILABLE,
            "The message broker is not reachable, or holds publishers back because of a memory or disk alarm. "
            "Nothing was stored; send the upload again later.",
        )

    @contextmanager
    def admit_file(self) -> Iterator[None]:
        """Let a file in while there is a place for it; its bytes may take a thread for hours.

        Some threads are kept for everything else, or slow uploads would shut out probes and pages too. Raises Problem
        503.
        """
        self.admit()
        if not self._places.acquire(blocking=False):
            raise Problem(TOO_BUSY, "Every place for a file is taken; nothing was stored. Send it again in a moment.")
        metrics.RECEIVING.inc()
        try:
            yield
        finally:
            metrics.RECEIVING.dec()
            self._places.release()
