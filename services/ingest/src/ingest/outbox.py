"""The outbox: events that are safe in the store and not yet with the broker.

    intents/<eventId>.json   an upload with a file is being announced now, or its process died while it was
    outbox/<eventId>.json    the event waits for the relay, which publishes it when the broker takes it

An intent is written before the asset's record, and goes when the event is confirmed. So whatever is in the store
complete is announced, wherever its process was killed. Simulated assets, which are load, do without intents.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nsmallest

import structlog

from ingest import metrics
from ingest.outbox_entry import INTENTS, WAITING, Entry, intent_key, waiting_key
from ingest.problems import OUTBOX_FULL, Problem
from media_common.errors import StoreError
from media_common.store import MediaStore
from mq_common.events import MediaEvent

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits: the ids of the first events in order, how many there are in all, and since when the oldest does."""

    event_ids: tuple[str, ...]
    total: int
    oldest: datetime | None

    @property
    def oldest_s(self) -> float:
        """Age of the oldest entry, seconds; 0 when nothing waits."""
        return max(0.0, (datetime.now(UTC) - self.oldest).total_seconds()) if self.oldest else 0.0


class Outbox:
    """Writes, finds and removes entries. Thread-safe.

    ``accepts``: events of new uploads may wait here. When it is false nothing comes in; what is there is still sent.
    """

    def __init__(self, store: MediaStore, *, accepts: bool, max_entries: int) -> None:
        self._store = store
        self.accepts = accepts
        self._max_entries = max_entries
        self._lock = threading.Lock()
        self._known_entries = 0

    @property
    def known_entries(self) -> int:
        """How many entries there are: the last count, and what this process added since."""
        return self._known_entries

    @property
    def full(self) -> bool:
        """True when no more uploads should be let in. Processes that count apart may overshoot a little."""
        return self._known_entries >= self._max_entries

    def require_room(self) -> None:
        """Raise Problem 503 when the outbox is full."""
        if self.full:
            raise Problem(
                OUTBOX_FULL,
                f"{self._known_entries} uploads wait for the message broker already, and no more may "
                "(MEDIAFLOW_OUTBOX_MAX_ENTRIES). Nothing was stored; send the upload again later.",
            )

    def intend(self, event: MediaEvent) -> None:
        """Write down, to outlast a power cut, that this event is about to be announced. The trace is not known yet."""
        if self.accepts:
            self._put(intent_key(event.event_id), Entry(event))

    def withdraw(self, event: MediaEvent) -> None:
        """Take an intent back: its upload turned out to be another event's, or none."""
        if self.accepts:
            self._store.delete(intent_key(event.event_id))

    def hold(self, entry: Entry, reason: str) -> None:
        """Let the event wait for the relay, and outlast a power cut. Raises StoreError when it does not wait."""
        event = entry.event
        self._put(waiting_key(event.event_id), entry)
        with self._lock:
            self._known_entries += 1
        if event.source is not None:
            self._remove(event, [intent_key(event.event_id)])
        metrics.OUTBOX_HELD.labels(reason).inc()
        log.info("event_held", event_id=event.event_id, asset_id=event.asset_id, reason=reason)

    def find(self, event_id: str) -> Entry | None:
        """Give the entry that waits for the relay under this event's id, None when none does."""
        body = self._store.get_bytes(waiting_key(event_id))
        return Entry.from_body(body) if body is not None else None

    def settle(self, event: MediaEvent, *, may_wait: bool) -> None:
        """Remove what was written for an event that is confirmed now. ``may_wait``: it was uploaded before, too."""
        keys = [intent_key(event.event_id)] if self.accepts and event.source is not None else []
        if may_wait:
            keys.append(waiting_key(event.event_id))
        self._remove(event, keys)

    def look(self, most: int) -> Waiting:
        """Count what waits, and name the first ``most``. Costs a listing of all of it."""
        total, oldest = 0, None

        def event_ids() -> Iterator[str]:
            nonlocal total, oldest
            for info in self._store.list_objects(WAITING):
                total += 1
                oldest = info.modified if oldest is None else min(oldest, info.modified)
                yield _event_id(info.key, WAITING)

        first = tuple(nsmallest(most, event_ids()))
        waiting = Waiting(first, total, oldest)
        with self._lock:
            self._known_entries = total
        metrics.OUTBOX_ENTRIES.set(total)
        metrics.OUTBOX_OLDEST_SECONDS.set(waiting.oldest_s)
        return waiting

    def intents(self) -> set[str]:
        """Give the ids of the events that uploads are announcing now, or were when they died."""
        return {_event_id(key, INTENTS) for key in self._store.list_keys(INTENTS)}

    def intent(self, event_id: str) -> Entry | None:
        """Give an intent, None when it is gone. Raises ValueError for one that can't be read."""
        body = self._store.get_bytes(intent_key(event_id))
        return Entry.from_body(body) if body is not None else None

    def remove(self, event_ids: Sequence[str]) -> None:
        """Remove the entries of events that are confirmed."""
        self._store.delete_all(waiting_key(event_id) for event_id in event_ids)
        with self._lock:
            self._known_entries = max(0, self._known_entries - len(event_ids))

    def _remove(self, event: MediaEvent, keys: Sequence[str]) -> None:
        """Remove what is not needed any more; what stays is announced once more, which does no harm."""
        try:
            for key in keys:
                self._store.delete(key)
        except StoreError as error:
            log.warning("outbox_not_settled", event_id=event.event_id, asset_id=event.asset_id, error=str(error))

    def _put(self, key: str, entry: Entry) -> None:
        self._store.put_bytes(key, entry.to_body(), content_type="application/json", durable=True)


def _event_id(key: str, prefix: str) -> str:
    return key.removeprefix(prefix).removesuffix(".json")
