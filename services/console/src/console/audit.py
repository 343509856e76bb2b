"""Who did what, and when: a line in the log, and the last hundred on the pages.

Each action is an object of its own, so that several consoles write without knowing of each other:

    console/audit/<id>.json
"""

import threading
import time

import structlog

from console.audit_entry import AuditEntry
from media_common.errors import StoreError
from media_common.store import MediaStore

__all__ = ["Audit", "AuditEntry"]

log = structlog.get_logger()

PREFIX = "console/audit/"

#: Entries that pages can show.
KEPT = 100

#: Entries beyond those that are left in the store before somebody tidies up.
_SPARE = 50

#: Seconds between looks at what other consoles wrote, while somebody asks.
_LOOK_S = 3.0

#: Seconds after which nobody asks any more.
_ASKED_S = 60.0


class Audit:
    """The actions taken through this console and any other on the same store. Thread-safe.

    Nobody waits for the store: a thread of its own writes, and reads what others wrote.
    """

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._changed = threading.Condition()
        self._entries: dict[str, AuditEntry] = {}
        self._unwritten: list[AuditEntry] = []
        self._asked_at = time.monotonic()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)

    def start(self) -> None:
        """Begin to write, and read what was done before."""
        self._thread.start()

    def close(self) -> None:
        """Write what is still in memory."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join()

    def record(
        self, action: str, *, who: str, channel: str | None = None, detail: str = "", outcome: str = "done"
    ) -> AuditEntry:
        """Write down an action; ``channel``: None for all. Never raises, never waits."""
        entry = AuditEntry(who, action, channel or "", detail, outcome)
        log.info("console_action", action=action, who=who, channel=channel or "all", detail=detail, outcome=outcome)
        with self._changed:
            self._remember({entry.id: entry})
            self._unwritten.append(entry)
            self._changed.notify_all()
        return entry

    def last(self, count: int = KEPT, *, actions: frozenset[str] | None = None) -> tuple[AuditEntry, ...]:
        """Give the newest entries first; ``actions``: only these."""
        with self._changed:
            self._asked_at = time.monotonic()
            entries = [self._entries[each] for each in sorted(self._entries, reverse=True)]
        return tuple([each for each in entries if actions is None or each.action in actions][:count])

    def _run(self) -> None:
        while not self._closing:
            self._write()
            if time.monotonic() - self._asked_at < _ASKED_S:
                self._look()
            with self._changed:
                if not self._unwritten and not self._closing:
                    self._changed.wait(_LOOK_S)
        self._write()

    def _write(self) -> None:
        with self._changed:
            waiting = tuple(self._unwritten)
        for entry in waiting:
            try:
                self._store.put_bytes(f"{PREFIX}{entry.id}.json", entry.to_json(), content_type="application/json")
            except StoreError as error:
                log.warning("audit_not_written", error=str(error), tip="it is tried again; the log has the actions")
                return self._pause()
            with self._changed:
                self._unwritten.remove(entry)
        return None

    def _pause(self) -> None:
        with self._changed:
            if not self._closing:
                self._changed.wait(_LOOK_S)

    def _look(self) -> None:
        try:
            keys = sorted(self._store.list_keys(PREFIX), reverse=True)
            unknown = [key for key in keys[:KEPT] if _id_of(key) not in self._entries]
            found = {entry.id: entry for key in unknown if (entry := self._read(key))}
            with self._changed:
                self._remember(found)
            if len(keys) > KEPT + _SPARE:
                self._store.delete_all(keys[KEPT:])
        except StoreError as error:
            log.debug("audit_not_read", error=str(error))

    def _read(self, key: str) -> AuditEntry | None:
        body = self._store.get_bytes(key)
        try:
            return AuditEntry.from_json(body) if body else None
        except ValueError as error:
            log.warning("audit_entry_unreadable", key=key, error=str(error))
            return None

    def _remember(self, entries: dict[str, AuditEntry]) -> None:
        every = self._entries | entries
        self._entries = {number: every[number] for number in sorted(every)[-KEPT:]}


def _id_of(key: str) -> str:
    return key.removeprefix(PREFIX).removesuffix(".json")
