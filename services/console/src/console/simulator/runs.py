"""All viewers' simulations: so many at once, each at a bounded pace, and none that nobody looks at any more."""

import secrets
import time
from threading import Lock

from console.simulator.run import Run

#: Seconds without a look after which a simulation ends.
REST_S = 600.0

#: A simulation that rested so long makes way when there is no room for another.
_MAY_GO_S = 60.0

#: Simulated seconds that one may go on for each second of real time (20× and room for catching up), and at once.
_PACE = 25.0
_AT_ONCE_S = 60.0


class TooManyRuns(Exception):
    """All places are taken by simulations that somebody looks at."""


class NoSuchRun(Exception):
    """It ended, or there never was one."""


class TooFast(Exception):
    """It was asked to go on for more simulated seconds than its pace allows."""


class Runs:
    """Keeps simulations by their id; thread-safe. An id can't be guessed: whoever knows it may steer."""

    def __init__(self, most: int) -> None:
        """Keep `most` at once."""
        self._most = most
        self._lock = Lock()
        self._runs: dict[str, Run] = {}
        self._credit: dict[str, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def add(self, run: Run) -> str:
        """Keep a simulation and give its id. Raises TooManyRuns."""
        with self._lock:
            self._sweep()
            if len(self._runs) >= self._most:
                self._make_way()
            if len(self._runs) >= self._most:
                raise TooManyRuns
            key = secrets.token_urlsafe(12)
            self._runs[key] = run
            self._credit[key] = (_AT_ONCE_S, time.monotonic())
            return key

    def take(self, key: str, seconds: float) -> Run:
        """Give the simulation that is to go on for so many simulated seconds. Raises NoSuchRun, TooFast."""
        with self._lock:
            self._sweep()
            if key not in self._runs:
                raise NoSuchRun
            now = time.monotonic()
            credit, since = self._credit[key]
            credit = min(_AT_ONCE_S, credit + _PACE * (now - since))
            if seconds > credit:
                raise TooFast
            self._credit[key] = (credit - seconds, now)
            return self._runs[key]

    def remove(self, key: str) -> None:
        """End a simulation; nothing happens when there is none."""
        with self._lock:
            self._forget(key)

    def _sweep(self) -> None:
        now = time.monotonic()
        for key in [key for key, run in self._runs.items() if now - run.used_at > REST_S]:
            self._forget(key)

    def _make_way(self) -> None:
        """Let the one go that has rested longest, if it did so for long enough. One place is enough."""
        key = min(self._runs, key=lambda each: self._runs[each].used_at)
        if time.monotonic() - self._runs[key].used_at > _MAY_GO_S:
            self._forget(key)

    def _forget(self, key: str) -> None:
        self._runs.pop(key, None)
        self._credit.pop(key, None)
