"""What a dead letter says about itself: the broker's death headers, ours from earlier replays, its event. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pika

from mq_common._wire_properties import WireProperties
from mq_common.errors import InvalidEvent
from mq_common.events import MediaEvent
from mq_common.headers import travels_on
from mq_common.messages import SPEC_VERSION, Outcome, OutgoingMessage, event_of

#: Headers of our own. The broker's death headers do not outlive a replay, so what has to is counted here.
REPLAY_COUNT = "replay-count"
FIRST_FAILED_AT = "first-failed-at"
ORIGINAL_REASON = "original-reason"
#: The run that replayed the message last: how a run knows what it has replayed itself.
REPLAY_RUN = "replay-run"

#: The broker's words for the two ways into a channel's dead-letter queue.
REJECTED = "rejected"
DELIVERY_LIMIT = "delivery_limit"
#: Our word for a message without death headers: somebody published it straight to the dead-letter queue.
UNKNOWN = "unknown"

#: All headers that are read here beside the list of deaths, and what is read of the latest of those.
_READ = ("x-last-death-reason", "x-first-death-reason", REPLAY_COUNT, FIRST_FAILED_AT, ORIGINAL_REASON, REPLAY_RUN)
_READ_OF_DEATH = ("reason", "time")

#: A header of a stranger may hold any number; nobody replays a message more often than this.
_MOST_REPLAYS = 1_000_000


class DeathHistory(NamedTuple):
    """How a message died, and how often it was replayed before.

    ``reason``: the broker's word for the latest death. ``died_at``: when that was, to the second, by the broker's
    clock. ``first_failed_at`` and ``original_reason``: of the first death, before any replay.
    """

    reason: str
    died_at: datetime | None
    replays: int
    first_failed_at: datetime | None
    original_reason: str
    replay_run: str | None

    def age_s(self, now: datetime) -> float | None:
        """Seconds since the latest death, never negative; None when it is not known."""
        return None if self.died_at is None else max(0.0, (now - self.died_at).total_seconds())


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Why a worker gave up on a message, as it is kept beside it. ``failed_at`` as it was written."""

    error_class: str
    message: str
    attempts: int | None = None
    worker: str | None = None
    failed_at: str | None = None


@dataclass(slots=True)
class DeadLetter:
    """One message of a dead-letter queue. ``event`` is None when it does not parse; ``gave_up`` then says why.

    ``tag``: the delivery tag under which the broker holds it for us. ``properties`` is None when they are damaged.
    ``outcome``: how putting it back ended, None as long as nobody knows.
    """

    tag: int
    properties: WireProperties | None
    body: bytes
    history: DeathHistory
    event: MediaEvent | None
    gave_up: GaveUp | None = None
    outcome: Outcome | None = None

    @classmethod
    def read(cls, tag: int, header: pika.BasicProperties | bytes, body: bytes) -> "DeadLetter":
        """Read a delivered message; raises nothing, whatever it holds. ``header``: its properties, or their bytes."""
        try:
            properties = WireProperties(header if isinstance(header, bytes) else b"".join(header.encode()))  # type: ignore[no-untyped-call]
        except ValueError as error:
            return cls(tag, None, body, read_history(None), None, GaveUp(InvalidEvent.__name__, str(error)))
        headers = {name: properties.header(name) for name in _READ}
        history = read_history(headers | {"x-death": [properties.first_table("x-death", _READ_OF_DEATH)]})
        if (version := properties.header(SPEC_VERSION)) is not None:
            properties.headers = {SPEC_VERSION: version}
        try:
            return cls(tag, properties, body, history, event_of(properties, body))
        except InvalidEvent as error:
            return cls(tag, properties, body, history, None, GaveUp(type(error).__name__, str(error)))

    @property
    def event_id(self) -> str | None:
        """The event's id; of a message whose body does not say it, the publisher's message id."""
        if self.event is not None:
            return self.event.event_id
        message_id = self.properties.message_id if self.properties is not None else None
        return message_id if isinstance(message_id, str) and message_id else None

    @property
    def asset_id(self) -> str | None:
        """The asset it is about."""
        return self.event.asset_id if self.event else None

    @property
    def error_class(self) -> str | None:
        """The class of the error that a worker gave up with, when it is known."""
        return self.gave_up.error_class if self.gave_up else None

    def answered(self, outcome: Outcome) -> None:
        """Note how putting it back ended; the publisher's thread calls this."""
        self.outcome = outcome

    def again(self, queue: str, run: str) -> OutgoingMessage:
        """Give the message for putting it back into ``queue`` alone. Raises ValueError when its properties are damaged.

        The publisher's headers go on byte for byte; the broker's and further addresses (CC, BCC) do not.
        """
        if self.properties is None:
            raise ValueError("a message with damaged properties can't be published again")
        return OutgoingMessage(
            "", queue, self.body, self.properties.again(travels_on, replay_headers(self.history, run))
        )


def read_history(headers: Mapping[str, Any] | None) -> DeathHistory:
    """Read a delivered message's headers. Whatever they hold, this gives a value and raises nothing."""
    headers = headers or {}
    death = _latest_death(headers)
    reason = _text(death.get("reason")) or _text(headers.get("x-last-death-reason")) or UNKNOWN
    died_at = _moment(death.get("time"))
    run = headers.get(REPLAY_RUN)
    return DeathHistory(
        reason=reason,
        died_at=died_at,
        replays=_count(headers.get(REPLAY_COUNT)),
        first_failed_at=_moment(headers.get(FIRST_FAILED_AT)) or died_at,
        original_reason=_text(headers.get(ORIGINAL_REASON)) or _text(headers.get("x-first-death-reason")) or reason,
        replay_run=run if isinstance(run, str) else None,
    )


def replay_headers(history: DeathHistory, run: str) -> dict[str, str | int]:
    """Give our headers of a message that is put back. ``run``: the name of this run."""
    ours: dict[str, str | int] = {
        REPLAY_COUNT: history.replays + 1,
        ORIGINAL_REASON: history.original_reason,
        REPLAY_RUN: run,
    }
    if history.first_failed_at is not None:
        ours[FIRST_FAILED_AT] = history.first_failed_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return ours


def _latest_death(headers: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the first entry of x-death: the broker keeps the latest death in front."""
    deaths = headers.get("x-death")
    if isinstance(deaths, list) and deaths and isinstance(deaths[0], Mapping):
        return deaths[0]
    return {}


def _text(value: object) -> str | None:
    return value[:64] if isinstance(value, str) and value else None


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return min(max(int(value), 0), _MOST_REPLAYS)


def _moment(value: object) -> datetime | None:
    """Read a time as Pika gives it (UTC, without saying so) or as we write it; None for anything else."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    try:
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    except (OverflowError, ValueError):  # the first and the last day of the calendar, in another zone
        return None
