"""A channel's way with an asset, told from what it left in the store. Pure, but for reading it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from media_common.attempt_history import read_attempts
from media_common.failure_record import replays_in
from media_common.layout import replay_key
from media_common.media_store import MediaStore
from media_common.states import ChannelState
from media_common.timestamps import moment_of

#: In the order of things that happen at the same moment.
What = Literal[
    "queued",
    "attempt-failed",
    "interrupted",
    "dead-lettered",
    "replayed",
    "delivered-again",
    "started",
    "done",
]

_ORDER = {what: place for place, what in enumerate(get_args(What))}
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_BY_NOTE: Mapping[object, What] = {
    "failed": "attempt-failed",
    "gave-up": "dead-lettered",
    "interrupted": "interrupted",
    "delivered-again": "delivered-again",
}

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened, at an RFC 3339 time.

    attempt: counted from 1 in each delivery. retry_in_s: the wait before the next try. delivery: its number, where the
    message came back because a worker was lost. replays: how often it was put back, this time included.
    """

    what: What
    at: str
    attempt: int | None = None
    worker: str | None = None
    reason: str | None = None
    error_class: str | None = None
    message: str | None = None
    permanent: bool | None = None
    retry_in_s: float | None = None
    delivery: int | None = None
    replays: int | None = None


def read_timeline(store: MediaStore, asset_id: str, uploaded_at: str, state: ChannelState) -> list[Step]:
    """Read what happened, oldest first: two objects besides the state. Raises StoreUnavailable."""
    history = read_attempts(store, asset_id, state.channel)
    return timeline_of(uploaded_at, state, history, store.get_json(replay_key(asset_id, state.channel)))


def timeline_of(uploaded_at: str, state: ChannelState, history: Sequence[Record], replay: Record | None) -> list[Step]:
    """Put the records together, oldest first; the upload is always the first, whatever other clocks say. Pure."""
    steps = [*_noted(history), *_now(state)]
    told = {step.at for step in steps if step.what == "dead-lettered"}
    for note in replays_in(replay):
        failed_at = note.get("failedAt")
        if failed_at and failed_at not in told:  # nobody was left to write it down, or the history is full
            steps.append(Step("dead-lettered", str(failed_at)))
        steps.append(Step("replayed", str(note.get("replayedAt")), replays=note.get("replays")))
    once = {(step.what, step.at): step for step in reversed(steps)}  # of the same thing, the one told in more detail
    ordered = sorted(once.values(), key=lambda step: (moment_of(step.at) or _LONG_AGO, _ORDER[step.what]))
    return [Step("queued", uploaded_at), *ordered]


def _noted(history: Sequence[Record]) -> Iterator[Step]:
    for entry in history:
        what = _BY_NOTE.get(entry.get("what"))
        if what is None:
            continue
        if entry.get("startedAt"):
            yield Step("started", str(entry["startedAt"]), entry.get("attempt"), entry.get("worker"))
        yield Step(
            what,
            str(entry.get("at")),
            attempt=entry.get("attempt"),
            worker=entry.get("worker"),
            reason=entry.get("reason"),
            error_class=entry.get("errorClass"),
            message=entry.get("message"),
            permanent=entry.get("permanent"),
            retry_in_s=entry.get("retryInSec"),
            delivery=entry.get("delivery"),
        )


def _now(state: ChannelState) -> Iterator[Step]:
    if state.started_at:
        yield Step("started", state.started_at, state.attempt)
    if state.state == "done" and state.finished_at:
        yield Step("done", state.finished_at, state.attempt)
    if state.state == "dead-lettered" and state.finished_at:
        error = state.error or {}
        yield Step(
            "dead-lettered",
            state.finished_at,
            attempt=state.attempt,
            worker=error.get("worker"),
            reason=error.get("reason"),
            error_class=error.get("errorClass"),
            message=error.get("message"),
            permanent=error.get("permanent"),
        )
