"""One dead letter as a look keeps it: what lists and decisions need, and the message itself beside it. Pure."""

from datetime import datetime
from typing import NamedTuple

from mq_common.dead_letters import DeadLetter, DeathHistory

#: Bytes of a body that a look keeps; an event is under 2 KiB, and no event is larger than 256 KiB.
KEPT_BODY_BYTES = 64 * 1024
#: Characters of an error's text that a look keeps.
_KEPT_CHARS = 2000


class LetterRow(NamedTuple):
    """A dead letter without its body. ``n``: its place in the queue at the look, from 1.

    ``error`` is None when nobody knows why a worker gave up. ``size``: bytes of the whole body. ``intact`` is False
    when the properties are damaged: such a message can't be put back.
    """

    n: int
    event_id: str | None
    asset_id: str | None
    owner_id: str | None
    uploaded_at: datetime | None
    error: str | None
    message: str | None
    attempts: int | None
    worker: str | None
    failed_at: str | None
    history: DeathHistory
    size: int
    intact: bool


def row_of(letter: DeadLetter, n: int) -> LetterRow:
    """Give what is kept of a letter that a walk found."""
    gave_up, event = letter.gave_up, letter.event
    return LetterRow(
        n=n,
        event_id=letter.event_id,
        asset_id=letter.asset_id,
        owner_id=event.owner_id if event else None,
        uploaded_at=event.uploaded_at if event else None,
        error=letter.error_class,
        message=gave_up.message[:_KEPT_CHARS] if gave_up else None,
        attempts=gave_up.attempts if gave_up else None,
        worker=gave_up.worker if gave_up else None,
        failed_at=gave_up.failed_at if gave_up else None,
        history=letter.history,
        size=len(letter.body),
        intact=letter.properties is not None,
    )


def wire_of(letter: DeadLetter) -> bytes | None:
    """Give the properties as they were on the wire; None when they are damaged."""
    return b"".join(letter.properties.encode()) if letter.properties is not None else None
