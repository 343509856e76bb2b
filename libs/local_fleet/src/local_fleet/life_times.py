"""When a process was started and when it was ready: by the wall clock for people, by a steady one for durations."""

import time


class LifeTimes:
    """The times of a member's present life; a restart begins a new one."""

    def __init__(self) -> None:
        self.launched()

    def launched(self) -> None:
        """Note that a life begins."""
        self._began = time.monotonic()
        self._started_at = time.time()
        self._ready_at: float | None = None

    def became_ready(self) -> None:
        """Note that it could work; only the first time in a life counts."""
        if self._ready_at is None:
            self._ready_at = time.time()

    @property
    def age_s(self) -> float:
        """Seconds since the life began."""
        return time.monotonic() - self._began

    def describe(self, *, alive: bool) -> dict[str, float | None]:
        """Give `uptime` in seconds, `started_at` and `ready_at` in seconds since 1970; None where it does not live."""
        if not alive:
            return {"uptime": None, "started_at": None, "ready_at": None}
        return {"uptime": self.age_s, "started_at": self._started_at, "ready_at": self._ready_at}
