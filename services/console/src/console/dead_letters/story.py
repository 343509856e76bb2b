"""How a message came to be a dead letter, in plain words: the broker's death headers, ours, and its event."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from flask_babel import gettext as _
from flask_babel import ngettext

from console.dead_letters.contents import visible
from console.dead_letters.letter_row import LetterRow
from mq_common.dead_letters import DELIVERY_LIMIT, REJECTED

#: Deaths that are told; a stranger's headers can list any number.
_MOST_DEATHS = 20
_MOST_CHARS = 200


class Moment(NamedTuple):
    """One thing that happened; ``at`` is None when nobody knows when. ``tone``: idle, busy, warn or bad."""

    at: datetime | None
    title: str
    text: str
    tone: str = "idle"


def story_of(row: LetterRow, headers: Mapping[str, Any]) -> list[Moment]:
    """Tell a letter's way from its upload to its latest death, in the order of time."""
    history = row.history
    moments = []
    if row.uploaded_at is not None:
        moments.append(Moment(row.uploaded_at, _("Uploaded"), _("One publish; each channel got its own copy.")))
    if history.replays:
        if history.first_failed_at is not None and history.first_failed_at != history.died_at:
            moments.append(
                Moment(
                    history.first_failed_at, _("Died for the first time"), _of_reason(history.original_reason), "warn"
                )
            )
        text = _("The last time by the run %(run)s.", run=history.replay_run) if history.replay_run else ""
        title = ngettext("Put back once", "Put back %(num)s times", history.replays)
        moments.append(Moment(None, title, text, "busy"))
    if row.failed_at is not None and history.reason == REJECTED:
        moments.append(Moment(_time(row.failed_at), _("A worker gave up"), _tries(row), "warn"))
    deaths = _deaths(headers)
    moments += [_death(each) for each in reversed(deaths)]
    if not deaths:
        moments.append(Moment(history.died_at, _("In the dead-letter queue"), _of_reason(history.reason), "bad"))
    return moments


def _tries(row: LetterRow) -> str:
    if row.attempts is None:
        return visible(row.worker or "")
    text = ngettext("After one try", "After %(num)s tries", row.attempts)
    return _("%(tries)s, on %(worker)s", tries=text, worker=visible(row.worker)) if row.worker else text


def _deaths(headers: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    deaths = headers.get("x-death")
    if not isinstance(deaths, list):
        return []
    return [each for each in deaths[:_MOST_DEATHS] if isinstance(each, Mapping)]


def _death(death: Mapping[str, Any]) -> Moment:
    """Put one entry of x-death into words."""
    keys = death.get("routing-keys")
    values = {
        "queue": _short(death.get("queue")),
        "exchange": _short(death.get("exchange")) or _("the default exchange"),
        "key": ", ".join(map(_short, keys[:5])) if isinstance(keys, list) else "",
    }
    where = _("In %(queue)s, where it came through %(exchange)s with the key %(key)s.", **values)
    count = death.get("count")
    often = _("This way %(count)s times.", count=count) if isinstance(count, int) and count > 1 else ""
    text = " ".join(filter(None, (_of_reason(_short(death.get("reason"))), where, often)))
    at = death.get("time")
    moment = at.replace(tzinfo=UTC) if isinstance(at, datetime) and at.tzinfo is None else at
    return Moment(moment if isinstance(moment, datetime) else None, _("Moved to the dead-letter queue"), text, "bad")


def _of_reason(reason: str) -> str:
    if reason == REJECTED:
        return _("Rejected: a worker gave up on it.")
    if reason == DELIVERY_LIMIT:
        return _("Delivery limit: it came back from lost workers too often.")
    return _("Reason: %(reason)s.", reason=visible(reason)) if reason else ""


def _short(value: object) -> str:
    return visible(str(value)[:_MOST_CHARS]) if isinstance(value, str | int) else ""


def _time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
