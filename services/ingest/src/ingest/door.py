"""Whether the door is open: an upload is let in only when its event can be published afterwards."""

import time
from typing import Protocol

from ingest.problems import BROKER_UNAVAILABLE, Problem

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
    """Refuses uploads while the broker can't be used, before their bytes are taken.

    Back-pressure belongs here too: one more reason to refuse, known before the body is read.
    """

    def __init__(self, publisher: Readiness) -> None:
        self._publisher = publisher
        self._shut_since: float | None = None

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
