"""Why a worker gave up on an asset (failure.json), and the note that its message was put back (replay.json).

The note does not touch the failure: a worker may be writing the next one at the same moment. It names the failure that
is history now, by its time, so no clocks have to agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from media_common.layout import failure_key, replay_key
from media_common.media_store import MediaStore
from media_common.timestamps import now

#: Replays before the last one that a note keeps, for people to read.
EARLIER_KEPT = 20
_KEPT_OF_EARLIER = ("failedAt", "replays", "replayedAt")


@dataclass(frozen=True, slots=True)
class FailureRecord:
    """What failure.json says. ``reason``: rejected (a worker gave up) or delivery_limit (no worker survived).

    ``failed_at``: RFC 3339 text, as it stands in the store.
    """

    event_id: str
    reason: str
    error_class: str
    message: str
    attempts: int | None
    worker: str | None
    failed_at: str | None


def read_failure(store: MediaStore, asset_id: str, channel: str) -> FailureRecord | None:
    """Read the latest failure, None when there is none. Raises StoreUnavailable."""
    record = store.get_json(failure_key(asset_id, channel))
    if record is None:
        return None
    attempts, worker, failed_at = record.get("attempts"), record.get("worker"), record.get("failedAt")
    return FailureRecord(
        event_id=str(record.get("eventId", "")),
        reason=str(record.get("reason", "")),
        error_class=str(record.get("errorClass", "")),
        message=str(record.get("message", "")),
        attempts=attempts if isinstance(attempts, int) else None,
        worker=str(worker) if worker else None,
        failed_at=str(failed_at) if failed_at else None,
    )


def failure_of_death(
    store: MediaStore, asset_id: str, channel: str, *, event_id: str, reason: str
) -> FailureRecord | None:
    """Read the failure that led to one death of one event; None where the store knows of another one only.

    ``reason``: the broker's word for that death. Raises StoreUnavailable.
    """
    record = read_failure(store, asset_id, channel)
    return record if record is not None and (record.event_id, record.reason) == (event_id, reason) else None


def mark_replayed(
    store: MediaStore, asset_id: str, channel: str, *, event_id: str, failed_at: str | None, replays: int
) -> None:
    """Note that the message whose failure has the time ``failed_at`` was put back, ``replays`` times now.

    Raises StoreError.
    """
    key = replay_key(asset_id, channel)
    note: dict[str, Any] = {"eventId": event_id, "failedAt": failed_at, "replays": replays, "replayedAt": now()}
    if replays > 1 and (earlier := replays_in(store.get_json(key))):
        note["earlier"] = [{name: one.get(name) for name in _KEPT_OF_EARLIER} for one in earlier][-EARLIER_KEPT:]
    store.put_json(key, note)


def replays_in(note: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Give the replays that a note tells of, oldest first, each with failedAt, replays and replayedAt. Pure."""
    if not note:
        return []
    earlier = note.get("earlier")
    return [*(one for one in (earlier if isinstance(earlier, list) else ()) if isinstance(one, dict)), note]


def is_history(failure: Mapping[str, Any], replay: Mapping[str, Any] | None) -> bool:
    """Tell whether the failure is the one whose message was put back since. Pure."""
    return (
        replay is not None
        and failure.get("failedAt") is not None
        and all(failure.get(name) == replay.get(name) for name in ("eventId", "failedAt"))
    )
