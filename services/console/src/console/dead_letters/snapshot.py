"""What a look at a dead-letter queue found, kept on disk so that a hundred thousand letters take no memory."""

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from console.dead_letters.letter_row import KEPT_BODY_BYTES, LetterRow, row_of, wire_of
from mq_common.dead_letter_groups import Group, Groups
from mq_common.dead_letters import DeadLetter, DeathHistory
from mq_common.replay_rules import NO_ERROR_KNOWN

#: Letters that are listed at most; the groups count them all.
MOST_ROWS = 200_000
#: Bytes of messages that are kept at most; of later letters the list has everything but the message itself.
MOST_BYTES = 128 * 1024 * 1024
#: Kilobytes of the file that are held in memory.
_CACHE_KB = 2048
#: Letters written at once.
_BATCH = 500

_TABLES = f"""
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE_KB};
CREATE TABLE letter (n INTEGER PRIMARY KEY, event TEXT, asset TEXT, owner TEXT, uploaded REAL, error TEXT, message TEXT,
  attempts INTEGER, worker TEXT, failed_at TEXT, reason TEXT NOT NULL, died REAL, replays INTEGER NOT NULL,
  first_failed REAL, original TEXT NOT NULL, run TEXT, size INTEGER NOT NULL, intact INTEGER NOT NULL);
CREATE TABLE message (n INTEGER PRIMARY KEY, header BLOB, body BLOB);
"""
_PUT_LETTER = "INSERT INTO letter VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

#: The condition of a `Choice`; `:none` is how one asks for letters without a known error.
_CHOSEN = """
(:reason IS NULL OR reason = :reason) AND (:error IS NULL OR error = :error OR (:error = :none AND error IS NULL))
AND (:text = '' OR instr(lower(coalesce(asset, '') || ' ' || coalesce(event, '') || ' ' || coalesce(owner, '') || ' ' ||
  coalesce(message, '')), :text) > 0)
"""
_COUNT, _PAGE, _BEFORE, _BEHIND = (
    f"SELECT {what} FROM letter WHERE {_CHOSEN} {rest}"  # noqa: S608 - put together from constants alone
    for what, rest in (
        ("count(*)", ""),
        ("*", "ORDER BY n LIMIT :count OFFSET :offset"),
        ("max(n)", "AND n < :n"),
        ("min(n)", "AND n > :n"),
    )
)


class Choice(NamedTuple):
    """Which letters a list shows; None: all. ``error``: a class, or ``replay_rules.NO_ERROR_KNOWN``.

    ``text``: part of an asset's id, an event's id, an owner's id or an error's text.
    """

    reason: str | None = None
    error: str | None = None
    text: str | None = None


class Message(NamedTuple):
    """A message as it was found: its properties on the wire (None: damaged, or not kept) and the start of its body."""

    header: bytes | None
    body: bytes


class Snapshot:
    """A dead-letter queue as one look found it. Filled by one thread, then read by many."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        #: Names this look in addresses: places in the queue mean nothing in another one.
        self.id = secrets.token_hex(4)
        self._began = time.monotonic()
        #: When the look began, and the seconds that it took.
        self.taken_at = datetime.now(UTC)
        self.took_s = 0.0
        #: Letters there were, and those looked at: fewer when the look was cut short.
        self.depth = self.seen = 0
        self.groups: tuple[Group, ...] = ()
        #: Letters of yet other kinds than the groups tell apart.
        self.others = 0
        self._sums = Groups()
        self._bytes = 0
        self._rows = 0
        self._letters: list[tuple[Any, ...]] = []
        self._messages: list[tuple[int, bytes | None, bytes]] = []
        self._lock = threading.Lock()
        # "" is a file without a name that goes away with the connection; what fits into its cache never reaches a disk.
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._db.executescript(_TABLES)

    # -- filling ------------------------------------------------------------------------------------------------

    def add(self, letter: DeadLetter) -> None:
        """Count one more letter and keep it, as far as there is room."""
        self.seen += 1
        self._sums.add(self.channel, letter)
        if self.seen <= MOST_ROWS:
            self._keep(letter)
            if len(self._letters) >= _BATCH:
                self._write()

    def finish(self) -> None:
        """End the filling: from now on it is read."""
        self._write()
        self.groups, self.others = tuple(self._sums), self._sums.others
        self.took_s = time.monotonic() - self._began

    @property
    def age_s(self) -> float:
        """Seconds since the look began."""
        return time.monotonic() - self._began

    @property
    def is_complete(self) -> bool:
        """Whether the look reached the queue's end."""
        return self.seen >= self.depth

    @property
    def listed(self) -> int:
        """Letters that lists show."""
        return self._rows

    def _keep(self, letter: DeadLetter) -> None:
        self._letters.append(_to_columns(row_of(letter, self.seen)))
        header, body = wire_of(letter), letter.body[:KEPT_BODY_BYTES]
        self._bytes += len(header or b"") + len(body)
        if self._bytes <= MOST_BYTES:
            self._messages.append((self.seen, header, body))

    def _write(self) -> None:
        with suppress(sqlite3.OperationalError), self._lock:  # no room on the disk: groups go on counting
            self._db.execute("BEGIN")
            self._db.executemany(_PUT_LETTER, self._letters)
            self._db.executemany("INSERT INTO message VALUES (?, ?, ?)", self._messages)
            self._db.execute("COMMIT")
            self._rows += len(self._letters)
        self._letters.clear()
        self._messages.clear()

    # -- reading ------------------------------------------------------------------------------------------------

    def page(self, choice: Choice, offset: int, count: int) -> tuple[list[LetterRow], int]:
        """Give some of the letters, in the queue's order, and how many there are to page through."""
        total = self._ask(_COUNT, _values(choice))[0][0]
        rows = self._ask(_PAGE, _values(choice) | {"count": count, "offset": offset})
        return [_from_columns(row) for row in rows], total

    def letter(self, n: int) -> LetterRow | None:
        """Give the letter at a place."""
        rows = self._ask("SELECT * FROM letter WHERE n = ?", [n])
        return _from_columns(rows[0]) if rows else None

    def find(self, event_id: str) -> LetterRow | None:
        """Give the first letter of an event, by ``DeadLetter.event_id``."""
        rows = self._ask("SELECT * FROM letter WHERE event = ? ORDER BY n LIMIT 1", [event_id])
        return _from_columns(rows[0]) if rows else None

    def copies(self, event_id: str) -> int:
        """Count the letters of one event."""
        return int(self._ask("SELECT count(*) FROM letter WHERE event = ?", [event_id])[0][0])

    def message(self, n: int) -> Message | None:
        """Give the message at a place; None when it was not kept."""
        rows = self._ask("SELECT header, body FROM message WHERE n = ?", [n])
        return Message(*rows[0]) if rows else None

    def neighbours(self, n: int, choice: Choice) -> tuple[int | None, int | None]:
        """Give the places before and behind one, among those that are chosen."""
        values = _values(choice) | {"n": n}
        return self._ask(_BEFORE, values)[0][0], self._ask(_BEHIND, values)[0][0]

    def each(self) -> Iterator[LetterRow]:
        """Give all letters that are listed, in the queue's order."""
        last = 0
        while rows := self._ask("SELECT * FROM letter WHERE n > ? ORDER BY n LIMIT 1000", [last]):
            yield from map(_from_columns, rows)
            last = rows[-1][0]

    def __del__(self) -> None:
        """Let go of the file, once nobody reads it any more."""
        with suppress(AttributeError):
            self._db.close()

    def _ask(self, query: str, values: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()


def _values(choice: Choice) -> dict[str, Any]:
    text = (choice.text or "").lower()
    return {"reason": choice.reason, "error": choice.error, "text": text, "none": NO_ERROR_KNOWN}


def _to_columns(row: LetterRow) -> tuple[Any, ...]:
    history = row.history
    return (
        *(row.n, row.event_id, row.asset_id, row.owner_id, _seconds(row.uploaded_at), row.error, row.message),
        *(row.attempts, row.worker, row.failed_at, history.reason, _seconds(history.died_at), history.replays),
        *(_seconds(history.first_failed_at), history.original_reason, history.replay_run, row.size, row.intact),
    )


def _from_columns(columns: tuple[Any, ...]) -> LetterRow:
    n, event, asset, owner, uploaded, error, message, attempts, worker, failed_at, *rest = columns
    reason, died, replays, first_failed, original, run, size, intact = rest
    history = DeathHistory(reason, _moment(died), replays, _moment(first_failed), original, run)
    uploaded_at = _moment(uploaded)
    told = (error, message, attempts, worker, failed_at)
    return LetterRow(n, event, asset, owner, uploaded_at, *told, history=history, size=size, intact=bool(intact))


def _seconds(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment is not None else None


def _moment(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
