"""Publishing entries of the outbox, pipelined: small batches first, larger ones while all goes well."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from enum import Enum
from typing import Protocol

import structlog

from ingest import metrics
from ingest.outbox import Outbox
from ingest.outbox_entry import Entry
from mq_common.events import MediaEvent
from mq_common.publisher import Outcome, OutgoingMessage, event_message

log = structlog.get_logger()

#: Messages on their way at once; half the publisher's window, so that requests find room too.
LARGEST_BATCH = 512
#: Entries read from the store at once; an S3 service takes tens of milliseconds for each.
_READERS = 16


class Trouble(Enum):
    """Why a batch ended with entries left."""

    UNROUTABLE = "unroutable"
    NACKED = "nacked"
    UNKNOWN = "unknown"


class Publisher(Protocol):
    """What batches need of the publisher."""

    def submit(self, message: OutgoingMessage) -> "Future[Outcome]":
        """Send the message; the future ends in an Outcome."""
        ...


class Batches:
    """Publishes entries.

    ``complete`` makes sure that the asset is on record, and is False for an event that it is not. ``answer_limit_s``:
    seconds after which an answer that has not come will not come.
    """

    def __init__(
        self, outbox: Outbox, publisher: Publisher, complete: Callable[[MediaEvent], bool], *, answer_limit_s: float
    ) -> None:
        self._outbox = outbox
        self._complete = complete
        self._publisher = publisher
        self._answer_limit_s = answer_limit_s
        #: After a refusal one event at a time: a queue that is full refuses it while the others keep their copy, and
        #: each try is one more duplicate there.
        self.size = 1
        self._unreadable: set[str] = set()

    def publish(self, event_ids: Sequence[str]) -> tuple[int, Trouble | None]:
        """Publish these entries in order and remove what is confirmed; gives how many, and what went wrong first.

        Raises StoreError; entries that are confirmed may then still be there, and are published once more.
        """
        entries = self._read(event_ids)
        futures = [(entry, self._publisher.submit(event_message(entry.event, entry.traceparent))) for entry in entries]
        outcomes = [(entry, self._outcome(future)) for entry, future in futures]
        confirmed = [entry for entry, outcome in outcomes if outcome is Outcome.CONFIRMED]
        refused = [outcome for _, outcome in outcomes if outcome is not Outcome.CONFIRMED]
        for outcome in refused:
            metrics.OUTBOX_REFUSED.labels(outcome.value).inc()
        self._outbox.remove([entry.event.event_id for entry in confirmed])
        metrics.OUTBOX_RELAYED.inc(len(confirmed))
        for entry in confirmed:
            log.info("event_relayed", event_id=entry.event.event_id, asset_id=entry.event.asset_id)
        self.size = 1 if refused else min(self.size * 2, LARGEST_BATCH)
        return len(confirmed), Trouble(refused[0].value) if refused else None

    def _read(self, event_ids: Sequence[str]) -> list[Entry]:
        if len(event_ids) == 1:
            found = [self._ready_entry(event_ids[0])]
        else:
            with ThreadPoolExecutor(min(_READERS, len(event_ids)), "outbox") as readers:
                found = list(readers.map(self._ready_entry, event_ids))
        return [entry for entry in found if entry is not None]

    def _ready_entry(self, event_id: str) -> Entry | None:
        """Give an entry whose asset is on record under its event, or None when there is nothing to publish."""
        try:
            entry = self._outbox.find(event_id)
        except ValueError as error:
            self._report_unreadable(event_id, error)
            return None
        if entry is None or self._complete(entry.event):
            return entry
        self._outbox.remove([event_id])
        return None

    def _report_unreadable(self, event_id: str, error: ValueError) -> None:
        if event_id in self._unreadable:
            return
        self._unreadable.add(event_id)
        metrics.OUTBOX_UNREADABLE.inc()
        log.error(
            "outbox_entry_unreadable",
            event_id=event_id,
            error=str(error),
            tip="it stays in the store under outbox/; mend or remove it by hand",
        )

    def _outcome(self, future: "Future[Outcome]") -> Outcome:
        try:
            return future.result(self._answer_limit_s)
        except FutureTimeout:
            return Outcome.UNKNOWN
