"""Sessions that were logged out of before their time: the cookie alone would still be good."""

import contextlib
import threading
import time
from pathlib import Path

import structlog

log = structlog.get_logger()

_FILE = "ended-sessions"


class EndedSessions:
    """Remembers them until they would have ended anyway; in ``folder``, when there is one, also over a restart."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / _FILE if folder else None
        self._lock = threading.Lock()
        self._ended = self._read()

    def has(self, number: str) -> bool:
        """Whether the session was logged out of."""
        return number in self._ended

    def add(self, number: str, until: int) -> None:
        """Remember the session that would have ended at ``until`` (seconds since 1970)."""
        now = time.time()
        with self._lock:
            self._ended = {each: end for each, end in self._ended.items() if end > now} | {number: until}
            self._write()

    def _read(self) -> dict[str, int]:
        ended: dict[str, int] = {}
        if self._file is None:
            return ended
        with contextlib.suppress(OSError, UnicodeDecodeError):
            for line in self._file.read_text("ascii").splitlines():
                number, _, until = line.partition(" ")
                if until.isdecimal() and int(until) > time.time():
                    ended[number] = int(until)
        return ended

    def _write(self) -> None:
        if self._file is None:
            return
        draft = self._file.with_suffix(".new")
        try:
            draft.write_text("".join(f"{number} {until}\n" for number, until in self._ended.items()), "ascii")
            draft.replace(self._file)
        except OSError as error:
            log.warning("ended_sessions_not_kept", error=str(error), tip="a restart forgets who logged out")
