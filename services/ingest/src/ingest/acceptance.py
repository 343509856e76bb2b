"""From a complete upload to an accepted one: the asset's record is in the store, its event is with the broker."""

from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass

from ingest.asset_records import create_record, read_record
from ingest.idempotency import Record, State, fingerprint_of
from ingest.problems import ASSET_CONFLICT, REFUSED_BY_BROKER, UNCONFIRMED, UNROUTABLE, Kind, Problem
from ingest.runtime import Runtime
from ingest.store_problems import store_problem
from media_common import layout
from media_common.errors import StoreError, StoreFull
from mq_common.events import MediaEvent
from mq_common.publisher import Outcome, event_message


@dataclass(frozen=True, slots=True)
class Registered:
    """The event under which an upload is known. ``claim`` is its idempotency record, if it came with a key."""

    event: MediaEvent
    key: str | None = None
    claim: Record | None = None

    @property
    def announced(self) -> bool:
        """True when the broker has confirmed this event before."""
        return self.claim is not None and self.claim.state == "confirmed"


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
            return Registered(_recorded(runtime, event, may_create))
        except StoreFull as error:
            raise _not_recorded(runtime, event, error) from None
    claim = _claimed(runtime, event, key, asset_id_given)
    if claim.state != "confirmed":
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
        claim = Record(claim.fingerprint, recorded, claim.state, claim.created_at)
    return Registered(claim.event, key, claim)


def _claimed(runtime: Runtime, event: MediaEvent, key: str, asset_id_given: bool) -> Record:
    try:
        return runtime.idempotency.claim(key, fingerprint_of(event, asset_id_given=asset_id_given), event)
    except StoreFull as error:
        if runtime.idempotency.find(key) is None:
            raise store_problem(error) from None
        raise


def announce(runtime: Runtime, registered: Registered, traceparent: str) -> None:
    """Publish the event and wait for the broker's word. Raises Problem 503 unless it is confirmed and routed."""
    if registered.announced:
        return
    future = runtime.publisher.submit(event_message(registered.event, traceparent))
    try:
        outcome = future.result(runtime.settings.publish_limit_s)
    except FutureTimeout:
        outcome = Outcome.UNKNOWN
    conclude(runtime, registered, outcome)


def conclude(runtime: Runtime, registered: Registered, outcome: Outcome) -> None:
    """Draw the consequences of how the publish ended. Raises Problem 503 unless it is confirmed and routed."""
    if registered.key is not None and registered.claim is not None:
        state: State = "confirmed" if outcome is Outcome.CONFIRMED else "unconfirmed"
        runtime.idempotency.settle(registered.key, registered.claim, state)
    if outcome is not Outcome.CONFIRMED:
        raise _not_announced(outcome, registered.event)


def _recorded(runtime: Runtime, event: MediaEvent, may_create: bool) -> MediaEvent:
    if may_create and create_record(runtime.store, event):
        runtime.index.note(event)
        return event
    existing = read_record(runtime.store, event.asset_id)
    if existing is None or not same_content(existing, event):
        raise Problem(
            ASSET_CONFLICT,
            f"The asset {event.asset_id} exists with other content, owner or duration. Choose another assetId.",
            {"assetId": event.asset_id},
        )
    return existing


def _not_recorded(runtime: Runtime, event: MediaEvent, error: StoreFull) -> Problem | StoreFull:
    """Give the Problem 507 of an asset without a record, so that its file goes too; the error when it has one."""
    if event.source is not None and runtime.store.head(layout.asset_key(event.asset_id)) is not None:
        return error
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
