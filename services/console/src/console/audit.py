"""Who did what, and when: a line in the log, and the last hundred on the pages."""

import threading
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from media_common.store import MediaStore

log = structlog.get_logger()

#: Entries that pages can show.
KEPT = 100


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action: who (the name given at login), what (``pause``, ``replay``, …), on which channel, what came of it."""

    at: datetime
    who: str
    action: str
    channel: str
    detail: str
    outcome: str


class Audit:
    """The actions taken through this console and any other on the same store."""

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._entries: deque[AuditEntry] = deque(maxlen=KEPT)

    def record(
        self, action: str, *, who: str, channel: str | None = None, detail: str = "", outcome: str = "done"
    ) -> AuditEntry:
        """Write down an action; ``channel``: None for all. Never raises."""
        entry = AuditEntry(datetime.now(UTC), who, action, channel or "", detail, outcome)
        log.info("console_action", action=action, who=who, channel=channel or "all", detail=detail, outcome=outcome)
        with self._lock:
            self._entries.appendleft(entry)
        return entry

    def last(self, count: int = KEPT, *, actions: frozenset[str] | None = None) -> tuple[AuditEntry, ...]:
        """Give the newest entries first; ``actions``: only these."""
        with self._lock:
            chosen = [each for each in self._entries if actions is None or each.action in actions]
        return tuple(chosen[:count])
