"""Which of all ingest processes relays: one at a time, by a lease in the store.

    relay/<term>.json    the lease of one term; the highest term counts

Only a term's holder writes its object, and a new term is put if absent, so no two processes hold the same one. A holder
renews by changing its object; one that has not changed for a whole lease belonged to a process that died. Each
process measures that by its own clock, so clocks need not agree. Whoever was asleep finds a higher term and gives up.
"""

import os
import socket
import time
import uuid
from collections.abc import Callable

import orjson

from media_common.store import MediaStore

#: Seconds without a sign of life after which the next process takes over.
LEASE_S = 6.0

_PREFIX = "relay/"
#: Terms are counted with leading zeros, so that a listing in a store's console reads in order.
_DIGITS = 12


class RelayLease:
    """The lease as one process sees it. Used by one thread."""

    def __init__(
        self, store: MediaStore, *, lease_s: float = LEASE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._lease_s = lease_s
        self._clock = clock
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._term: int | None = None
        self._renewals = 0
        self._renewed_at = 0.0
        self._seen_term = 0
        self._seen: bytes | None = None
        self._seen_at = 0.0

    @property
    def term(self) -> int | None:
        """The term that this process holds, as far as it knows."""
        return self._term

    def hold(self) -> bool:
        """Keep or get the lease; False while another process has it. Raises StoreError."""
        return self._contend() if self._term is None else self._renew(self._term)

    def release(self) -> None:
        """Let the next process take over at once. Raises StoreError."""
        if self._term is not None:
            term, self._term = self._term, None
            self._seen = None
            self._store.put_bytes(_key(term), self._body(released=True))

    def _renew(self, term: int) -> bool:
        now = self._clock()
        age = now - self._renewed_at
        if age < self._lease_s / 4:
            return True
        self._renewals += 1
        self._store.put_bytes(_key(term), self._body())
        # Within the lease nobody else can have thought us dead; after it, a higher term may have begun.
        if self._clock() - self._renewed_at >= self._lease_s and self._highest() != term:
            self._term = None
            self._store.delete(_key(term))
            return False
        self._renewed_at = now
        return True

    def _contend(self) -> bool:
        body = self._store.get_bytes(_key(self._seen_term)) if self._seen_term else None
        if body is None:  # a new term has begun, or none ever has
            self._seen_term = self._highest()
            body = self._store.get_bytes(_key(self._seen_term)) if self._seen_term else b""
        now = self._clock()
        if body != self._seen:
            self._seen, self._seen_at = body, now
            if body and not _is_released(body):
                return False
        elif body and not _is_released(body) and now - self._seen_at <= self._lease_s:
            return False
        return self._take(self._seen_term + 1)

    def _take(self, term: int) -> bool:
        started = self._clock()
        self._seen_term, self._seen = term, None
        if not self._store.put_bytes(_key(term), self._body(), if_absent=True):
            return False
        terms = self._terms()
        if max(terms, default=term) != term:  # we looked at a term that was long over
            self._store.delete(_key(term))
            self._seen_term = 0
            return False
        self._store.delete_all(_key(old) for old in terms if old < term)
        self._term, self._renewed_at = term, started
        return True

    def _highest(self) -> int:
        return max(self._terms(), default=0)

    def _terms(self) -> "list[int]":
        names = (key.removeprefix(_PREFIX).removesuffix(".json") for key in self._store.list_keys(_PREFIX))
        return [int(name) for name in names if name.isascii() and name.isdigit()]

    def _body(self, *, released: bool = False) -> bytes:
        return orjson.dumps({"holder": self._holder, "renewals": self._renewals, "released": released})


def _key(term: int) -> str:
    return f"{_PREFIX}{term:0{_DIGITS}d}.json"


def _is_released(body: bytes) -> bool:
    try:
        return bool(orjson.loads(body)["released"])
    except (ValueError, KeyError, TypeError):
        return False
