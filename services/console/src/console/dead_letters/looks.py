"""Looks at dead-letter queues: one at a time for each channel, shared by all who want to see it."""

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from console.dead_letters.snapshot import Snapshot
from console.dead_letters.store_reasons import StoreReasons
from media_common.store import MediaStore
from mq_common.channels import ChannelSpec
from mq_common.dead_letter_survey import survey
from mq_common.dead_letter_walk import Busy
from mq_common.errors import BrokerUnreachable
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

#: Seconds that a look takes at most; what it has not seen by then it does not tell. Nobody replays meanwhile.
MOST_S = 30.0
#: Seconds that a look waits for a replay or another look to end.
_LOCK_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class LookState:
    """How a channel's looks stand. ``snapshot``: of the last one that ended, None before the first.

    ``seen`` of ``depth``: how far a running one is; ``depth`` None: it waits for the queue. ``busy``: the last one
    found somebody else going through the queue. ``trouble``: why the last one failed, for people.
    """

    snapshot: Snapshot | None = None
    is_looking: bool = False
    seen: int = 0
    depth: int | None = None
    busy: bool = False
    trouble: str | None = None


class Looks:
    """The looks of all channels. Thread-safe."""

    def __init__(self, broker: BrokerSettings, channels: Callable[[], Mapping[str, ChannelSpec]], store: MediaStore):
        self._broker, self._channels, self._store = broker, channels, store
        self._changed = threading.Condition()
        self._states: dict[str, LookState] = {}
        self._cancelled: set[str] = set()
        self._threads: list[threading.Thread] = []
        self._closing = False

    def state(self, channel: str) -> LookState:
        """Give how a channel's looks stand."""
        with self._changed:
            return self._states.get(channel, LookState())

    def begin(self, channel: str, *, older_than_s: float = 0.0) -> None:
        """Look again in the background, unless somebody does, or the last look is no older than that."""
        spec = self._channels().get(channel)
        with self._changed:
            state = self._states.get(channel, LookState())
            if spec is None or state.is_looking or self._closing or _age_s(state) <= older_than_s:
                return
            self._cancelled.discard(channel)
            self._states[channel] = LookState(state.snapshot, is_looking=True, busy=state.busy)
            thread = threading.Thread(target=self._look, args=(spec,), name=f"look-{channel}", daemon=True)
            self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def wait(self, channel: str, timeout_s: float) -> LookState:
        """Wait until no look goes on; gives how it stands then, or after ``timeout_s`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._states.get(channel, LookState()).is_looking, timeout_s)
            return self._states.get(channel, LookState())

    def cut_short(self, channel: str) -> None:
        """Let a look that goes on end early: somebody wants to replay."""
        with self._changed:
            self._cancelled.add(channel)

    def close(self) -> None:
        """End all looks; the messages are where they were."""
        with self._changed:
            self._closing = True
        for thread in self._threads:
            thread.join(15)

    def _look(self, spec: ChannelSpec) -> None:
        busy, trouble, snapshot = False, None, None
        try:
            snapshot = self._filled(spec)
        except Busy:
            busy = True
        except BrokerUnreachable as error:
            trouble = str(error)
        except sqlite3.Error as error:
            log.warning("look_not_kept", channel=spec.name, error=str(error), tip="is the temporary folder full?")
            trouble = f"the console has no room for what it found: {error}"
        finally:
            with self._changed:
                before = self._states[spec.name].snapshot
                self._states[spec.name] = LookState(snapshot or before, busy=busy, trouble=trouble)
                self._changed.notify_all()

    def _filled(self, spec: ChannelSpec) -> Snapshot:
        until = time.monotonic() + MOST_S

        def stop() -> bool:
            return self._closing or spec.name in self._cancelled or time.monotonic() > until

        snapshot = Snapshot(spec.name)
        records = StoreReasons(self._store, spec.name)

        def began(depth: int) -> None:
            snapshot.depth = depth
            self._tell(spec.name, snapshot)

        letters = survey(self._broker, spec, records=records, wait_s=_LOCK_WAIT_S, stop=stop, began=began)
        for letter in letters:
            snapshot.add(letter)
            if snapshot.seen % 1000 == 0:
                self._tell(spec.name, snapshot)
        snapshot.finish()
        log.info("dead_letters_looked_at", channel=spec.name, depth=snapshot.depth, seen=snapshot.seen)
        return snapshot

    def _tell(self, channel: str, snapshot: Snapshot) -> None:
        with self._changed:
            before = self._states[channel]
            self._states[channel] = LookState(before.snapshot, True, snapshot.seen, snapshot.depth, busy=False)


def _age_s(state: LookState) -> float:
    return float("inf") if state.snapshot is None else state.snapshot.age_s
