"""The relay: publishes what waits in the outbox, in order, as soon as the broker takes it.

A thread in every ingest process; the one that holds the lease works, the others watch it. Once in effect: an entry is
removed after its confirm, so what a killed relay leaves is published again under the same event id, which the channels'
results absorb.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

import structlog

from ingest import metrics
from ingest.adoption import Adoption
from ingest.batches import Batches, Trouble
from ingest.outbox import Outbox, Waiting
from ingest.relay_lease import RelayLease
from media_common.errors import MediaError
from mq_common.retry import Backoff

log = structlog.get_logger()

#: Seconds between looks while nothing waits, and while something does.
IDLE_TICK_S, BUSY_TICK_S = 1.0, 0.25
#: Events of one listing that are worked through before the next listing.
AT_ONCE = 10_000
#: Counting what waits may take this share of a process's time at most.
_COUNTING_SHARE = 1 / 20
#: A thread that is in the middle of a batch, or of a connect, is waited for so long; what it leaves is not lost.
_STOP_LIMIT_S = 5.0
#: Waits after the broker refused an event or the store failed: from the first to the second, doubling.
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 30.0

_TIPS = {
    Trouble.UNROUTABLE: "no queue is bound for uploads: start a channel worker, which declares its queue",
    Trouble.NACKED: "a channel's queue is full or has no leader: look at its length and its workers",
    Trouble.UNKNOWN: "the broker does not confirm: look for alarms, and whether a majority of its nodes is up",
}


class Broker(Protocol):
    """What the relay asks the publisher."""

    @property
    def ready(self) -> bool:
        """True while a publish would be sent at once."""
        ...


class Relay:
    """The thread. ``prepare`` is asked before anything else until it is true once: the broker may need it first."""

    def __init__(
        self,
        outbox: Outbox,
        lease: RelayLease,
        batches: Batches,
        adoption: Adoption,
        broker: Broker,
        *,
        prepare: Callable[[], bool] = lambda: True,
    ) -> None:
        self._outbox = outbox
        self._lease = lease
        self._batches = batches
        self._adoption = adoption
        self._broker = broker
        self._prepare = prepare
        self._prepared = False
        self._stopped = threading.Event()
        self._backoff = Backoff(initial_s=FIRST_RETRY_S, max_s=LONGEST_RETRY_S)
        self._not_before = 0.0
        self._count_again_at = 0.0
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; after the fork."""
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread and let the next process take over."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_STOP_LIMIT_S)

    def turn(self) -> None:
        """Do what is to do now. Raises StoreError."""
        if not self._prepared:
            self._prepared = self._prepare()
        if not self._broker.ready:
            self._lease.release()  # another process may be able to reach the broker
            self._count()
        elif not self._lease.hold():
            self._count(only_if_known=True)
        elif time.monotonic() >= self._not_before:
            self._adoption.adopt()
            self._drain(self._counted(time.monotonic()))
        metrics.OUTBOX_RELAYING.set(0 if self._lease.term is None else 1)

    def _run(self) -> None:
        while not self._stopped.wait(BUSY_TICK_S if self._outbox.known_entries else IDLE_TICK_S):
            try:
                self.turn()
            except MediaError as error:
                self._stopped.wait(self._pause("relay_store_failed", error=str(error), tip="is the store reachable?"))
            except Exception as error:
                self._stopped.wait(self._pause("relay_failed", error=repr(error), exc_info=error))
        try:
            self._lease.release()
        except MediaError as error:  # it runs out by itself
            log.warning("relay_lease_not_released", error=str(error))

    def _drain(self, waiting: Waiting) -> None:
        left = waiting.event_ids
        started, relayed = time.monotonic(), 0
        while left and not self._stopped.is_set() and self._broker.ready and self._lease.hold():
            size = self._batches.size
            done, trouble = self._batches.publish(left[:size])
            relayed += done
            left = left[size:]
            if trouble is not None:
                wait = self._pause("outbox_refused", outcome=trouble.value, entries=waiting.total, tip=_TIPS[trouble])
                self._not_before = time.monotonic() + wait
                break
            self._backoff.reset()
        if relayed:
            seconds = time.monotonic() - started
            log.info("outbox_relayed", count=relayed, left=self._outbox.known_entries, seconds=round(seconds, 3))

    def _count(self, *, only_if_known: bool = False) -> None:
        """Keep the number of entries right in a process that does not relay, without listing all the time."""
        now = time.monotonic()
        if now >= self._count_again_at and (self._outbox.known_entries or not only_if_known):
            self._counted(now)

    def _counted(self, now: float) -> Waiting:
        waiting = self._outbox.look(AT_ONCE)
        took = time.monotonic() - now
        self._count_again_at = now + max(IDLE_TICK_S, took / _COUNTING_SHARE)
        return waiting

    def _pause(self, event: str, **fields: object) -> float:
        """Say what went wrong, and give the seconds until the next try."""
        wait = self._backoff.next()
        log.error(event, retry_in_s=round(wait, 2), **fields)
        return wait
