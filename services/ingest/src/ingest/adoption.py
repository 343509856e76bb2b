"""Adopting events whose upload died before it had announced them."""

import time
from collections.abc import Callable

import structlog

from ingest.outbox import Outbox

log = structlog.get_logger()

#: Seconds between looks for intents.
_LOOK_EVERY_S = 2.0


class Adoption:
    """Moves intents that have been there for too long to what the relay publishes.

    ``patience_s``: an upload that lives has announced its event or let it wait within this time. It is measured from
    when this process first saw the intent, so clocks need not agree.
    """

    def __init__(self, outbox: Outbox, *, patience_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._outbox = outbox
        self._patience_s = patience_s
        self._clock = clock
        self._first_seen: dict[str, float] = {}
        self._looked_at = float("-inf")

    def adopt(self) -> None:
        """Adopt what is due; looks every few seconds only. Raises StoreError."""
        now = self._clock()
        if now - self._looked_at < _LOOK_EVERY_S:
            return
        self._looked_at = now
        self._first_seen = {event_id: self._first_seen.get(event_id, now) for event_id in self._outbox.intents()}
        for event_id, seen in list(self._first_seen.items()):
            if now - seen >= self._patience_s:
                del self._first_seen[event_id]
                self._adopt(event_id)

    def _adopt(self, event_id: str) -> None:
        try:
            intent = self._outbox.intent(event_id)
        except ValueError as error:
            _report_unreadable(event_id, error)
            return
        if intent is not None:
            self._outbox.hold(intent, "adopted")


def _report_unreadable(event_id: str, error: ValueError) -> None:
    tip = "it stays in the store under intents/; mend or remove it by hand"
    log.error("intent_unreadable", event_id=event_id, error=str(error), tip=tip)
