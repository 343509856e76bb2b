"""From a complete upload to an accepted one: the asset's record is in the store, its event is with the broker.

While the broker can't take the event, the outbox keeps it (``ingest.outbox``), and the upload is accepted all the same.
"""

from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import structlog

from ingest.asset_records import create_record, read_record
from ingest.idempotency import Record, State, fingerprint_of
from ingest.outbox_entry import Entry
from ingest.problems import ASSET_CONFLICT, REFUSED_BY_BROKER, UNCONFIRMED, UNROUTABLE, Kind, Problem
from ingest.runtime import Runtime
from ingest.store_problems import store_problem
from media_common import layout
from media_common.errors import StoreError, StoreFull
from mq_common.events import MediaEvent
from mq_common.publisher import Outcome, event_message

log = structlog.get_logger()

#: What the client is told: the event is in the channels' queues, or waits in the outbox.
Acceptance = Literal["queued", "accepted"]


@dataclass(frozen=True, slots=True)
class Registered:
    """The event under which an upload is known. ``claim`` is its idempotency record, if it came with a key.

    ``repeated``: the asset was on record before this upload.
    """

    event: MediaEvent
    key: str | None = None
    claim: Record | None = None
    repeated: bool = False

    @property
    def announced(self) -> bool:
        """True when this event was accepted before: the broker has confirmed it, or the outbox keeps it."""
        return self.claim is not None and self.claim.accepted


def register(
    runtime: Runtime, event: MediaEvent, *, key: str | None = None, asset_id_given: bool = True, may_create: bool = True
) -> Registered:
    """Decide which event this upload is: a new one, or the one it was given before.

    The asset's record is written only if there is none; that is what decides between two uploads of the same id.
    ``may_create=False`` says that the file itself was not stored, because the asset seemed to be there already.
    Raises Problem 409 for other content under the same id, 422 for a reused idempotency key, 507 when nothing was
    recorded because the store is full; StoreError when nobody knows what was.
    """
    if key is None:
        try:
            return _recorded(runtime, event, may_create)
        except StoreFull as error:
            raise _not_recorded(runtime, event, error) from None
    claim = _claimed(runtime, event, key, asset_id_given)
    registered = Registered(claim.event, key, claim, repeated=True)
    if registered.announced:
        return registered
    try:
        recorded = _recorded(runtime, claim.event, may_create or claim.event != event)
    except (Problem, StoreError) as error:
        if (
            isinstance(error, StoreFull)
            and claim.event.event_id == event.event_id
            and runtime.idempotency.release(key, claim)
        ):
            raise _not_recorded(runtime, event, error) from None
        runtime.idempotency.settle(key, claim, "unconfirmed")  # a repetition need not wait for this one
        raise
    claim = Record(claim.fingerprint, recorded.event, claim.state, claim.created_at)
    return Registered(recorded.event, key, claim, recorded.repeated)


def _claimed(runtime: Runtime, event: MediaEvent, key: str, asset_id_given: bool) -> Record:
    try:
        return runtime.idempotency.claim(key, fingerprint_of(event, asset_id_given=asset_id_given), event)
    except StoreFull as error:
        if runtime.idempotency.find(key) is None:
            raise store_problem(error) from None
        raise


def announce(runtime: Runtime, registered: Registered, traceparent: str) -> Acceptance:
    """Publish the event and wait for the broker's word; an event that it can't take now is kept in the outbox.

    Raises Problem 503 when the broker refused the event, or could not take it and there is no outbox.
    """
    known = known_acceptance(runtime, registered)
    if known is not None:
        return known
    return conclude(runtime, registered, _publish(runtime, registered.event, traceparent), traceparent)


def known_acceptance(runtime: Runtime, registered: Registered) -> Acceptance | None:
    """Give the answer of an event that was accepted before; None when it has to be announced (again)."""
    if not registered.repeated:
        return None
    entry = None
    with suppress(ValueError):  # what can't be read is in the relay's log; announcing again is right
        entry = runtime.outbox.find(registered.event.event_id)
    if entry is not None and entry.refused is None:
        return "accepted"
    return "queued" if registered.announced else None


def conclude(runtime: Runtime, registered: Registered, outcome: Outcome, traceparent: str) -> Acceptance:
    """Draw the consequences of how the publish ended. Raises Problem 503 unless the upload is accepted."""
    status: Acceptance = "queued"
    try:
        if outcome is Outcome.CONFIRMED:
            runtime.outbox.settle(registered.event, may_wait=registered.repeated)
        else:
            _keep(runtime, Entry(registered.event, traceparent), outcome)
            status = "accepted"
    except Problem:
        _settle_key(runtime, registered, "unconfirmed")
        raise
    except StoreError as error:
        # Neither with the broker nor in the outbox, but stored: that is what the client has to know.
        log.warning("event_not_held", event_id=registered.event.event_id, error=str(error))
        _settle_key(runtime, registered, "unconfirmed")
        raise _not_announced(outcome, registered.event) from None
    _settle_key(runtime, registered, "confirmed" if status == "queued" else "accepted")
    return status


def _publish(runtime: Runtime, event: MediaEvent, traceparent: str) -> Outcome:
    if runtime.outbox.accepts and not runtime.publisher.ready:
        return Outcome.UNKNOWN
    future = runtime.publisher.submit(event_message(event, traceparent))
    try:
        return future.result(runtime.settings.publish_limit_s)
    except FutureTimeout:
        return Outcome.UNKNOWN


def _keep(runtime: Runtime, entry: Entry, outcome: Outcome) -> None:
    """Let the event wait for the relay. Raises Problem when the client has to know that it is not accepted.

    A broker that refuses an event says that a queue is full or missing: the client has to know, or it would go on
    sending. An event with a file waits all the same, since its asset is there for all to see, and a queue that was
    not full may have its copy.
    """
    event, outbox = entry.event, runtime.outbox
    refused = outcome is not Outcome.UNKNOWN
    if not outbox.accepts or (refused and event.source is None):
        raise _not_announced(outcome, event)
    if refused:
        outbox.hold(entry.of_refusal(outcome), outcome.value)
        raise _not_announced(outcome, event)
    if event.source is None:
        outbox.require_room()
    outbox.hold(entry, "unconfirmed" if runtime.publisher.ready else "broker-unavailable")


def _settle_key(runtime: Runtime, registered: Registered, state: State) -> None:
    if registered.key is not None and registered.claim is not None:
        runtime.idempotency.settle(registered.key, registered.claim, state)


def _recorded(runtime: Runtime, event: MediaEvent, may_create: bool) -> Registered:
    if may_create:
        if event.source is not None:
            runtime.outbox.intend(event)
        if create_record(runtime.store, event):
            runtime.index.note(event)
            return Registered(event)
    existing = read_record(runtime.store, event.asset_id)
    if may_create and event.source is not None and (existing is None or existing.event_id != event.event_id):
        runtime.outbox.withdraw(event)
    if existing is None or not same_content(existing, event):
        raise Problem(
            ASSET_CONFLICT,
            f"The asset {event.asset_id} exists with other content, owner or duration. Choose another assetId.",
            {"assetId": event.asset_id},
        )
    return Registered(existing, repeated=True)


def _not_recorded(runtime: Runtime, event: MediaEvent, error: StoreFull) -> Problem | StoreFull:
    """Give the Problem 507 of an asset without a record, so that its file goes too; the error when it has one."""
    if event.source is not None:
        if runtime.store.head(layout.asset_key(event.asset_id)) is not None:
            return error
        runtime.outbox.withdraw(event)  # or the relay would finish an asset whose file is gone
    return store_problem(error)


def same_content(one: MediaEvent, other: MediaEvent) -> bool:
    """Tell whether two uploads say the same: same owner, duration and bytes. Names and types may differ."""
    if (one.owner_id, one.duration_sec) != (other.owner_id, other.duration_sec):
        return False
    if one.source is None or other.source is None:
        return one.source is other.source
    return (one.source.sha256, one.source.size) == (other.source.sha256, other.source.size)


_NOT_ANNOUNCED: dict[Outcome, tuple[Kind, str]] = {
    Outcome.UNROUTABLE: (
        UNROUTABLE,
        "The broker has no queue for uploads: start a channel worker, which declares its queue.",
    ),
    Outcome.NACKED: (
        REFUSED_BY_BROKER,
        "A channel's queue refused the event (full, or its leader just failed); others may have taken it.",
    ),
    Outcome.UNKNOWN: (UNCONFIRMED, "The broker did not confirm the event in time; it may still have taken it."),
}


def _not_announced(outcome: Outcome, event: MediaEvent) -> Problem:
    kind, reason = _NOT_ANNOUNCED[outcome]
    return Problem(
        kind,
        f"{reason} The upload is stored: repeat it with the same Idempotency-Key or with assetId={event.asset_id}; "
        "the event stays the same, so nothing is done twice.",
        {"assetId": event.asset_id, "eventId": event.event_id},
    )
