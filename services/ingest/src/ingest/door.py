"""Whether the door is open: an upload is let in only when its event can be published afterwards."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Protocol

from ingest import metrics
from ingest.back_pressure import BackPressure
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


class Shelter(Protocol):
    """Where events wait while the broker can't take them."""

    @property
    def accepts(self) -> bool:
        """True when events of new uploads may wait."""
        ...

    def require_room(self) -> None:
        """Raise Problem 503 when no more may."""
        ...


class Door:
    """Refuses uploads that could not be announced or served well, before their bytes are taken.

    ``back_pressure`` sheds while the queues are full or nearly so; None lets the broker decide. ``is_announced`` tells
    of an Idempotency-Key whether its event is with the broker: its repetition costs the queues nothing.
    """

    def __init__(
        self,
        publisher: Readiness,
        *,
        files_at_once: int,
        outbox: Shelter | None = None,
        back_pressure: BackPressure | None = None,
        is_announced: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._publisher = publisher
        self._outbox = outbox
        self._back_pressure = back_pressure
        self._is_announced = is_announced
        self._shut_since: float | None = None
        self._places = threading.BoundedSemaphore(files_at_once)

    def admit(self, key: str | None = None) -> None:
        """Let an upload in, or raise Problem 503 within DOOR_WAIT_S seconds of the broker's loss, 429 when it is shed.

        With an outbox it gets in without the broker, as long as there is room. ``key`` is its Idempotency-Key.
        """
        self._await_broker(may_wait=True)
        self._admit_one(key)

    @contextmanager
    def admit_burst(self, count: int) -> Iterator[None]:
        """Let a burst of so many messages in as a whole, or raise Problem 503 or 429.

        It never waits in the outbox: load measures the broker, and is not worth keeping.
        """
        self._await_broker(may_wait=False)
        with self._back_pressure.admit_burst(count) if self._back_pressure is not None else nullcontext():
            yield

    def _admit_one(self, key: str | None) -> None:
        if self._back_pressure is not None:
            self._back_pressure.admit(lambda: key is not None and self._is_announced(key))

    def _await_broker(self, *, may_wait: bool) -> None:
        if self._outbox is not None and may_wait:
            self._outbox.require_room()
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
        if self._outbox is not None and may_wait and self._outbox.accepts:
            return
        raise Problem(
            BROKER_UNAVAILABLE,
            "The message broker is not reachable, or holds publishers back because of a memory or disk alarm. "
            "Nothing was stored; send the upload again later.",
        )

    @contextmanager
    def admit_file(self, key: str | None = None) -> Iterator[None]:
        """Let a file in while there is a place for it; its bytes may take a thread for hours.

        Some threads are kept for everything else, or slow uploads would shut out probes and pages too. Raises Problem
        503, 429.
        """
        self._await_broker(may_wait=True)
        if not self._places.acquire(blocking=False):
            raise Problem(TOO_BUSY, "Every place for a file is taken; nothing was stored. Send it again in a moment.")
        metrics.RECEIVING.inc()
        try:
            self._admit_one(key)
            yield
        finally:
            metrics.RECEIVING.dec()
            self._places.release()
