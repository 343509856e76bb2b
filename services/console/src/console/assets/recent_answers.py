"""Answers that are a second old at most: a hundred people who look at one page cost ingest what one does."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]

#: Seconds for which an answer is given again.
FRESH_S = 1.0

#: Questions that are remembered.
_MOST = 64


class RecentAnswers:
    """Asks once for all who want to know the same at the same time. Thread-safe; errors are for everybody too."""

    def __init__(self, ask: Callable[[Mapping[str, str]], Json], *, fresh_s: float = FRESH_S) -> None:
        self._ask, self._fresh_s = ask, fresh_s
        self._lock = threading.Lock()
        self._kept: dict[tuple[tuple[str, str], ...], _Answer] = {}

    def __call__(self, query: Mapping[str, str]) -> Json:
        """Give the answer to a query; raises what asking raises."""
        with self._lock:
            key = tuple(sorted(query.items()))
            kept = self._kept.get(key)
            if kept is None or kept.is_old(self._fresh_s):
                self._kept.pop(key, None)
                while len(self._kept) >= _MOST:
                    del self._kept[next(iter(self._kept))]
                kept = self._kept[key] = _Answer()
        return kept.get(lambda: self._ask(query))


class _Answer:
    """One answer: whoever comes first asks, the others wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answer: Json | None = None
        self._error: Exception | None = None
        self._at: float | None = None

    def is_old(self, fresh_s: float) -> bool:
        return self._at is not None and time.monotonic() - self._at >= fresh_s

    def get(self, ask: Callable[[], Json]) -> Json:
        with self._lock:
            if self._at is None:
                try:
                    self._answer = ask()
                except Exception as error:
                    self._error = error
                self._at = time.monotonic()
        if self._error is not None:
            raise self._error
        return self._answer or {}
