"""The fleet's own broker as a supervised member: started again when it dies."""

import asyncio
import contextlib
import time

import structlog

from local_fleet.backoff import Backoff
from local_fleet.broker_choice import BrokerNode
from local_fleet.errors import FleetError
from local_fleet.life_times import LifeTimes
from local_fleet.member_state import Ending, State
from local_fleet.memory import MemoryReading

_log = structlog.get_logger()

_EAGER_S = 0.1
_CALM_S = 0.5


class BrokerMember:
    """Keeps a broker node running until `stop`. Belongs to the event loop of the main thread."""

    def __init__(self, node: BrokerNode) -> None:
        self.state = State.STARTING
        self.reason = ""
        self.restarts = 0
        self._node = node
        self._backoff = Backoff()
        self._times = LifeTimes()
        self._memory = MemoryReading()
        self._asked_to_stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """Begin to watch the node, which the main thread has started (a node dies with the thread that starts it)."""
        self._task = asyncio.get_running_loop().create_task(self._keep_running())

    async def stop(self, grace_s: float) -> Ending:
        """Stop the node, by force after `grace_s` seconds."""
        self._asked_to_stop.set()
        if self._task:
            await self._task
        self.state = State.STOPPING
        began = time.monotonic()
        was_running = await asyncio.to_thread(self._node.stop, grace_s)
        self.state = State.STOPPED
        if not was_running:
            return Ending.NOT_RUNNING
        return Ending.STOPPED if time.monotonic() - began < grace_s else Ending.KILLED

    def snapshot(self) -> dict[str, str | int | float | None]:
        """Describe the member for `status`; memory in bytes, times as LifeTimes gives them."""
        pid = self._node.pid
        return {
            "name": "broker",
            "state": str(self.state),
            "pid": pid,
            **self._times.describe(alive=pid is not None),
            "restarts": self.restarts,
            "memory": self._memory.of(pid) if pid else None,
            "reason": self.reason,
            "address": None,
            "metrics": None,
        }

    async def _keep_running(self) -> None:
        while not self._asked_to_stop.is_set():
            await self._watch()
            if self._asked_to_stop.is_set():
                return
            self.reason = self._node.last_words()
            wait_s = self._backoff.after(self._times.age_s)
            self.state = State.RESTARTING
            _log.warning("broker_died", reason=self.reason, again_in_s=wait_s)
            await self._pause(wait_s)
            if not self._asked_to_stop.is_set():
                self._start_again()

    async def _watch(self) -> None:
        """Return when the node has ended or a stop is asked for."""
        while self._node.is_running and not self._asked_to_stop.is_set():
            ready = await asyncio.to_thread(self._node.is_ready) if self.state is not State.READY else True
            if ready and self.state is not State.READY:
                self.state = State.READY
                self._times.became_ready()
                _log.info("process_ready", process="broker", after_s=round(self._times.age_s, 2))
            await self._pause(_CALM_S if ready else _EAGER_S)

    def _start_again(self) -> None:
        self.restarts += 1
        self._times.launched()
        self.state = State.STARTING
        try:
            self._node.start(wait=False)
        except (FleetError, OSError) as error:  # it is then not running, and the next round tries again
            _log.warning("broker_not_started", reason=str(error))

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._asked_to_stop.wait(), seconds)
