"""The list of assets, newest first, kept beside them in the store.

    index/<hours to go>/<microseconds to go>-<random>.json     a few entries, oldest first

Names count down, so that a plain listing gives the newest first. An upload that comes alone is written down at once;
under load the entries of a fifth of a second share one object, since one more object per request would cost more than
the whole publish. A crash may lose that fifth of a second from the list, never from the store: the asset's own address
does not depend on the list.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import structlog
from uuid_utils import uuid4

from ingest.bursts import burst_asset_id
from media_common.errors import StoreError
from media_common.store import MediaStore
from mq_common.events import MediaEvent

log = structlog.get_logger()

#: Seconds for which entries are gathered under load.
GATHER_S = 0.2

_PREFIX = "index/"
_LAST_HOUR, _LAST_US = 9_999_999, 10**17 - 1
_HOUR_US = 3_600_000_000

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page ended: the object's name below ``index/`` and how many of its entries have been given."""

    name: str
    given: int

    def to_text(self) -> str:
        """Give the cursor that clients hand back."""
        return f"{self.name}:{self.given}"

    @classmethod
    def from_text(cls, text: str) -> "Position":
        """Read a cursor. Raises ValueError."""
        name, colon, given = text.rpartition(":")
        hour, slash, rest = name.partition("/")
        if not (colon and slash and hour.isascii() and hour.isdigit() and given.isascii() and given.isdigit()):
            raise ValueError("not a cursor")
        if "/" in rest or not rest.endswith(".json"):
            raise ValueError("not a cursor")
        return cls(name, int(given[:9]))


class Listed(NamedTuple):
    """An entry of the list, the position behind it, and when it was uploaded (RFC 3339)."""

    entry: Entry | None
    position: Position
    uploaded_at: str


class AssetIndex:
    """Writes and reads the list. Thread-safe."""

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._gathered: list[Entry] = []
        self._last_write = 0.0
        self._timer: threading.Timer | None = None

    def note(self, event: MediaEvent) -> None:
        """Put a new asset on the list. An asset with a file is written down before this returns."""
        entry: Entry = {
            "assetId": event.asset_id,
            "ownerId": event.owner_id,
            "uploadedAt": event.uploaded_at.isoformat().replace("+00:00", "Z"),
        }
        if event.source is not None:
            entry |= {"fileName": event.source.file_name, "size": event.source.size}
        self.note_entry(entry, at_once=event.source is not None)

    def note_entry(self, entry: Entry, *, at_once: bool) -> None:
        """Put an entry on the list."""
        with self._lock:
            self._gathered.append(entry)
            idle = time.monotonic() - self._last_write >= GATHER_S
            if not (at_once or idle):
                if self._timer is None:
                    self._timer = threading.Timer(GATHER_S, self.flush)
                    self._timer.daemon = True
                    self._timer.start()
                return
        self.flush()

    def flush(self) -> None:
        """Write down what is gathered. A store that fails leaves the list short, which is logged, not raised."""
        with self._lock:
            gathered, self._gathered = self._gathered, []
            self._last_write = time.monotonic()
            self._timer = None
        if not gathered:
            return
        try:
            self._store.put_json(_PREFIX + object_name(time.time()), {"entries": gathered})
        except StoreError as error:
            log.warning("index_write_failed", entries=len(gathered), error=str(error))

    def close(self) -> None:
        """Write down the rest."""
        with contextlib.suppress(StoreError):
            self.flush()

    def newest_first(
        self, after: Position | None = None, may_match: Callable[[Entry], bool] = lambda _: True
    ) -> Iterator[Listed]:
        """Give the entries, newest first. Order holds to about GATHER_S.

        ``may_match`` is asked of what is stored, which for a burst stands for all of its assets; what it refuses is
        given once, without an entry, so that whoever searches can stop there.
        """
        start, skip = (after.name, after.given) if after else ("", 0)
        for name in self._names(start):
            stored = self._store.get_json(_PREFIX + name) or {}
            position = 0
            for entry in reversed(stored.get("entries", ())):
                size = entry.get("count", 1)
                if skip < position + size and not may_match(entry):
                    yield Listed(None, Position(name, position + size), entry["uploadedAt"])
                else:
                    for place in range(max(0, skip - position), size):
                        item = _item(entry, place)
                        yield Listed(item, Position(name, position + place + 1), entry["uploadedAt"])
                position += size
            skip = 0

    def _names(self, start: str) -> Iterator[str]:
        first_hour = start.partition("/")[0]
        for folder in sorted(self._store.list_folder(_PREFIX).folders):
            hour = folder.removeprefix(_PREFIX).rstrip("/")
            if hour < first_hour:
                continue
            names = (info.key.removeprefix(_PREFIX) for info in self._store.list_folder(folder).names)
            yield from sorted(name for name in names if name >= start)


def object_name(unix_s: float, suffix: str | None = None) -> str:
    """Give the name below ``index/`` of an object written at this time: later ones sort first."""
    us = int(unix_s * 1_000_000)
    return f"{_LAST_HOUR - us // _HOUR_US:07d}/{_LAST_US - us:017d}-{suffix or uuid4().hex[:8]}.json"


def _item(entry: Entry, place: int) -> Entry:
    """Give the entry at this place of a burst, counted from its newest, or the entry itself."""
    if "burstId" not in entry:
        return entry
    number = entry["count"] - place
    return {"assetId": burst_asset_id(entry["burstId"], number)} | {
        name: entry[name] for name in ("ownerId", "uploadedAt")
    }
