"""One letter, opened: what is kept of it and of its message."""

from typing import NamedTuple

from console.dead_letters.letter_row import LetterRow
from console.dead_letters.snapshot import Message, Snapshot
from mq_common.message_contents import MessageContents, read_contents


class OpenLetter(NamedTuple):
    """A letter with its message. ``message`` is None when there was no room to keep it."""

    row: LetterRow
    message: Message | None
    contents: MessageContents


def open_letter(snapshot: Snapshot, n: int, *, look: str | None, event_id: str | None) -> OpenLetter | None:
    """Give the letter at place ``n`` of the look ``look``; of another look, the first of the same event.

    None when there is no such letter in the snapshot.
    """
    row = snapshot.letter(n) if look in (None, snapshot.id) else None
    if row is None and event_id:
        row = snapshot.find(event_id)
    if row is None:
        return None
    message = snapshot.message(row.n)
    return OpenLetter(row, message, _contents(message))


def _contents(message: Message | None) -> MessageContents:
    if message is None or message.header is None:
        return MessageContents({}, {})
    try:
        return read_contents(message.header)
    except ValueError:
        return MessageContents({}, {})
