"""Dead letters, forecasts and replays as JSON, for programs and for the page's scripts. Pure."""

from datetime import datetime
from typing import Any

from console.control.fleet_control import ReplayRun
from console.dead_letters.advice import advice_on
from console.dead_letters.contents import BodyView
from console.dead_letters.forecast import Fate, Forecast
from console.dead_letters.letter_row import LetterRow
from console.dead_letters.looks import LookState
from console.dead_letters.snapshot import Snapshot
from mq_common.dead_letter_groups import Group
from mq_common.replay_rules import NO_ERROR_KNOWN


def moment(at: datetime | None) -> str | None:
    """Give a time as RFC 3339 text, UTC."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z") if at is not None else None


def group_json(group: Group) -> dict[str, Any]:
    """Give what letters of one reason and error have in common. ``error`` is what a replay's option takes."""
    return {
        "reason": group.reason,
        "error": group.error_class or NO_ERROR_KNOWN,
        "count": group.count,
        "oldest": moment(group.oldest),
        "newest": moment(group.newest),
        "replays": {"fewest": group.fewest, "most": group.most},
        "example": {"assetId": group.example_asset, "message": group.example_message},
    }


def letter_json(row: LetterRow) -> dict[str, Any]:
    """Give one letter without its message."""
    history = row.history
    return {
        "n": row.n,
        "eventId": row.event_id,
        "assetId": row.asset_id,
        "ownerId": row.owner_id,
        "reason": history.reason,
        "error": row.error,
        "message": row.message,
        "attempts": row.attempts,
        "worker": row.worker,
        "failedAt": row.failed_at,
        "diedAt": moment(history.died_at),
        "firstFailedAt": moment(history.first_failed_at),
        "originalReason": history.original_reason,
        "replays": history.replays,
        "replayRun": history.replay_run,
        "bytes": row.size,
    }


def body_json(body: BodyView) -> dict[str, Any]:
    """Give a body; ``text`` is what is shown of it."""
    return {"kind": body.kind, "text": body.text, "bytes": body.size, "shownBytes": body.shown}


def look_json(state: LookState) -> dict[str, Any]:
    """Tell how a channel's looks stand: what is known, how old that is, and what goes on."""
    snapshot = state.snapshot
    return {
        "id": snapshot.id if snapshot else None,
        "takenAt": moment(snapshot.taken_at) if snapshot else None,
        "ageS": round(snapshot.age_s, 1) if snapshot else None,
        "tookS": round(snapshot.took_s, 2) if snapshot else None,
        "depth": snapshot.depth if snapshot else None,
        "seen": snapshot.seen if snapshot else None,
        "listed": snapshot.listed if snapshot else None,
        "looking": state.is_looking,
        "lookingSeen": state.seen,
        "lookingDepth": state.depth,
        "busy": state.busy,
        "trouble": state.trouble,
    }


def forecast_json(forecast: Forecast, snapshot: Snapshot) -> dict[str, Any]:
    """Tell what a replay would do, and which look that is said of."""
    return {
        "dryRun": True,
        "asOf": moment(snapshot.taken_at),
        "ageS": round(snapshot.age_s, 1),
        "depth": snapshot.depth,
        "notLookedAt": max(0, snapshot.depth - snapshot.listed),
        "moves": forecast.moves,
        "stays": {fate.value: count for fate, count in forecast.fates.items() if fate is not Fate.MOVES},
        "seconds": forecast.seconds,
        "groups": [
            {"reason": reason, "error": error or NO_ERROR_KNOWN, "comesBack": advice_on(reason, error).first == "none"}
            | {fate.value: count for fate, count in fates.items()}
            for (reason, error), fates in forecast.groups.items()
        ],
    }


def run_json(run: ReplayRun) -> dict[str, Any]:
    """Give a replay: what was asked for, how far it is, how it ended."""
    asked = run.request
    return {
        "id": run.id,
        "channel": asked.channel,
        "state": run.state,
        "ended": run.ended,
        "askedBy": asked.asked_by,
        "startedAt": moment(run.started_at),
        "endedAt": moment(run.ended_at),
        "seen": run.seen,
        "moved": run.moved,
        "left": run.left,
        "total": run.total,
        "message": run.message,
        "summary": dict(run.summary) if run.summary is not None else None,
        "options": {
            "eventIds": list(asked.event_ids) or None,
            "reason": asked.reason,
            "error": asked.error,
            "asset": asked.asset,
            "olderThanS": asked.older_than_s,
            "maxReplays": asked.max_replays,
            "limit": asked.limit,
            "rate": asked.rate,
        },
    }
