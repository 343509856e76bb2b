"""Who may put outputs in place: one worker at a time for each asset and channel.

Two workers can have the same event: a message that comes again while the first worker still runs, or
two copies of it. Both may do the work; only the holder of the claim uploads, so that what one commits is
never overwritten by the other. The claim is an object that is made if absent. Its holder renews it; one
that has not changed for a whole lease belonged to a worker that died and is taken over. The lease is
measured by the waiting worker's own clock, so clocks need not agree.
"""

import json
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from media_common.errors import JobCancelled, StoreError
from media_common.media_store import MediaStore

#: Seconds without a sign of life after which a claim is given to the next.
LEASE_S = 30.0
_POLL_S = 0.2


class ClaimLost(StoreError):
    """Another worker took the claim over, because this one seemed dead."""


class Claim:
    """The claim of one worker under `key`."""

    def __init__(self, store: MediaStore, key: str, worker: str, *, lease_s: float = LEASE_S) -> None:
        self._store, self._key, self._worker, self._lease_s = store, key, worker, lease_s
        self._token = uuid.uuid4().hex
        self._renewals = 0
        self._lost = False
        self._confirmed_at = time.monotonic()
        self._stopped = threading.Event()
        self._renewing = threading.Thread(target=self._keep, name="claim", daemon=True)

    def acquire(self, settled: Callable[[], bool], cancelled: threading.Event) -> bool:
        """Wait for the claim. False: `settled` came true meanwhile, there is nothing left to do.

        Raises JobCancelled, StoreUnavailable.
        """
        seen, seen_at = b"", time.monotonic()
        while not settled():
            if self._store.put_bytes(self._key, self._body(), if_absent=True):
                self._confirmed_at = time.monotonic()
                return True
            current = self._store.get_bytes(self._key) or b""
            if current != seen:
                seen, seen_at = current, time.monotonic()
            elif time.monotonic() - seen_at > self._lease_s:
                self._store.delete(self._key)
                continue
            if cancelled.wait(_POLL_S):
                raise JobCancelled("the job was told to stop")
        return False

    def check(self) -> None:
        """Raise ClaimLost when the claim is no longer ours. Asks the store only after a pause in renewing."""
        # A process that was stopped for a while learns here that the others went on without it.
        if time.monotonic() - self._confirmed_at > self._lease_s / 2:
            self._confirm()
        if self._lost:
            raise ClaimLost("another worker took over while this one did not answer")

    def __enter__(self) -> Self:
        self._renewing.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._renewing.join()
        with suppress(StoreError):  # it runs out by itself
            if self._is_ours():
                self._store.delete(self._key)

    def _keep(self) -> None:
        while not self._lost and not self._stopped.wait(self._lease_s / 5):
            with suppress(StoreError):  # the upload itself will say so
                self._confirm()

    def _confirm(self) -> None:
        if not self._is_ours():
            self._lost = True
            return
        self._renewals += 1
        self._store.put_bytes(self._key, self._body())
        self._confirmed_at = time.monotonic()

    def _is_ours(self) -> bool:
        return (self._store.get_json(self._key) or {}).get("token") == self._token

    def _body(self) -> bytes:
        body = {"token": self._token, "worker": self._worker, "renewals": self._renewals}
        return json.dumps(body).encode()
