"""The state of a channel's work on an asset, read from the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from media_common.failure_record import is_history
from media_common.last_delivery import REASON as LAST_DELIVERY_REASON
from media_common.last_delivery import SILENT_AFTER_S
from media_common.layout import asset_prefix, failure_key, progress_key, replay_key, result_key
from media_common.media_store import MediaStore
from media_common.timestamps import moment_of

State = Literal["queued", "running", "done", "dead-lettered"]

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ChannelState:
    """Where one channel is.

    percent: 0-100. error: reason, errorClass, message, permanent, attempts, worker, failedAt. outputs: each with
    name, size (bytes) and contentType. Times are RFC 3339 text in UTC, as they stand in the store.
    """

    channel: str
    state: State
    percent: float | None = None
    step: str | None = None
    attempt: int | None = None
    error: Mapping[str, Any] | None = None
    outputs: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    started_at: str | None = None
    finished_at: str | None = None


def read_channel_state(store: MediaStore, asset_id: str, channel: str) -> ChannelState:
    """Read the state: one object when done, three or four otherwise. Raises StoreUnavailable."""
    result = store.get_json(result_key(asset_id, channel))
    if result is not None:
        return state_of(channel, result, None, None)
    progress = store.get_json(progress_key(asset_id, channel))
    failure = store.get_json(failure_key(asset_id, channel))
    replay = None if failure is None else store.get_json(replay_key(asset_id, channel))
    return state_of(channel, None, failure, progress, replay)


def channels_of(store: MediaStore, asset_id: str) -> tuple[str, ...]:
    """Name the channels that have begun to work on an asset."""
    prefix = asset_prefix(asset_id)
    return tuple(sorted(folder.removeprefix(prefix).strip("/") for folder in store.list_folder(prefix).folders))


def state_of(
    channel: str,
    result: Mapping[str, Any] | None,
    failure: Mapping[str, Any] | None,
    progress: Mapping[str, Any] | None,
    replay: Mapping[str, Any] | None = None,
    *,
    at: datetime | None = None,
) -> ChannelState:
    """Decide the state from the records, as it is ``at`` a time (now). Pure but for that.

    A result is the last word. A failure counts until its message was put back (``replay``) or work has begun again; the
    one that was left before a last delivery counts when the worker on it has gone silent.
    """
    if result is not None:
        return _done(channel, result)
    if failure is not None and replay is not None and is_history(failure, replay):
        failure = None
        if progress is not None and not _is_newer(progress.get("updatedAt"), replay.get("replayedAt")):
            progress = None  # of the run that failed
    if failure is not None and _counts(failure, progress or {}, at or datetime.now(UTC)):
        return _dead_lettered(channel, failure, progress or {})
    if progress is not None:
        return ChannelState(
            channel,
            "running",
            percent=progress.get("percent"),
            step=progress.get("step"),
            attempt=progress.get("attempt"),
            started_at=progress.get("startedAt"),
        )
    return ChannelState(channel, "queued")


def _done(channel: str, result: Mapping[str, Any]) -> ChannelState:
    return ChannelState(
        channel,
        "done",
        percent=100.0,
        attempt=result.get("attempt"),
        outputs=tuple(result.get("outputs") or ()),
        details=result.get("details") or {},
        started_at=result.get("startedAt"),
        finished_at=result.get("finishedAt"),
    )


def _dead_lettered(channel: str, failure: Mapping[str, Any], progress: Mapping[str, Any]) -> ChannelState:
    names = ("reason", "errorClass", "message", "permanent", "attempts", "worker", "failedAt")
    return ChannelState(
        channel,
        "dead-lettered",
        percent=progress.get("percent"),
        step=progress.get("step"),
        attempt=failure.get("attempts"),
        error={name: failure[name] for name in names if name in failure},
        started_at=failure.get("startedAt") or progress.get("startedAt"),
        finished_at=failure.get("failedAt"),
    )


def _counts(failure: Mapping[str, Any], progress: Mapping[str, Any], at: datetime) -> bool:
    if _is_newer(failure.get("failedAt"), progress.get("updatedAt")):
        return True
    beaten_at = moment_of(progress.get("updatedAt"))
    on_last_delivery = failure.get("reason") == LAST_DELIVERY_REASON and progress.get("lastDelivery") is True
    return on_last_delivery and beaten_at is not None and (at - beaten_at).total_seconds() > SILENT_AFTER_S


def _is_newer(one: object, other: object) -> bool:
    return (moment_of(one) or _LONG_AGO) >= (moment_of(other) or _LONG_AGO)
