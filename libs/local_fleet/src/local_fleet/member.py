"""One supervised process: started, watched, started again when it dies, ended on request."""

import asyncio
import contextlib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog

from local_fleet.backoff import Backoff
from local_fleet.exits import describe_exit, is_hopeless, last_line
from local_fleet.identity import ProcessIdentity
from local_fleet.life_times import LifeTimes
from local_fleet.lifeline import bound_command
from local_fleet.member_state import Ending, State
from local_fleet.memory import MemoryReading
from local_fleet.ports import LOOPBACK, free_ports
from local_fleet.readiness import is_ready
from local_fleet.run_folder import RunFolder
from local_fleet.stragglers import descendants, kill_all

_log = structlog.get_logger()

#: How often readiness is asked before and after the first yes, in seconds.
_EAGER_S = 0.1
_CALM_S = 2.0

#: The shell's exit code for what could not be run.
_NOT_STARTED = 127

#: How long a process may take to die after SIGKILL.
_KILL_S = 5.0


@dataclass(frozen=True)
class MemberSpec:
    """What to run. Without `port`, each start gets a free one in MEDIAFLOW_HEALTH_PORT."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)  # holds the broker's password
    host: str = LOOPBACK
    port: int | None = None


class Member:
    """Keeps the process of `spec` running until `stop`. Belongs to the event loop of the main thread."""

    def __init__(self, spec: MemberSpec, folder: RunFolder) -> None:
        self.spec = spec
        self.state = State.STARTING
        self.reason = ""
        self.restarts = 0
        self._folder = folder
        self._backoff = Backoff()
        self._asked_to_stop = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._times = LifeTimes()
        self._memory = MemoryReading()
        self._port: int | None = spec.port
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep the process running."""
        self._task = asyncio.get_running_loop().create_task(self._keep_running())

    async def stop(self, grace_s: float) -> Ending:
        """Ask the process to end, kill it after `grace_s` seconds, with everything it left behind."""
        self._asked_to_stop.set()
        if self._task is None or self.state is State.STOPPED:
            return Ending.NOT_RUNNING
        running = self._process is not None
        self.state = State.STOPPING
        family = descendants(self._process.pid) if self._process else ()
        ending = Ending.STOPPED if running else Ending.NOT_RUNNING
        self._signal(kill=False)
        if not await self._ended_within(grace_s):
            ending = Ending.KILLED
            self._signal(kill=True)
            await self._ended_within(_KILL_S)
        kill_all(family)
        self.state = State.STOPPED
        return ending

    def snapshot(self) -> dict[str, str | int | float | None]:
        """Describe the member for `status`; memory in bytes, times as LifeTimes gives them."""
        pid = self._process.pid if self._process else None
        address = f"http://{self.spec.host}:{self._port}" if pid and self._port else None
        return {
            "name": self.spec.name,
            "state": str(self.state),
            "pid": pid,
            **self._times.describe(alive=pid is not None),
            "restarts": self.restarts,
            "memory": self._memory.of(pid) if pid else None,
            "reason": self.reason,
            "address": address,
            "metrics": f"{address}/metrics" if address else None,
        }

    async def _keep_running(self) -> None:
        while not self._asked_to_stop.is_set():
            try:
                code, said = await self._live_once()
            except OSError as error:  # no process could be made (limits, memory, disk): waiting may help
                code, said = _NOT_STARTED, str(error)
            if self._asked_to_stop.is_set():
                break
            self.reason = describe_exit(code, said)
            wait_s = self._backoff.after(self._times.age_s)
            if is_hopeless(code, said, port_is_drawn=self.spec.port is None):
                self.state = State.FAILED
                _log.error("process_failed", process=self.spec.name, reason=self.reason)
                await self._asked_to_stop.wait()
                break
            self.state = State.RESTARTING
            _log.warning("process_died", process=self.spec.name, reason=self.reason, again_in_s=wait_s)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._asked_to_stop.wait(), wait_s)
            self.restarts += 1

    async def _live_once(self) -> tuple[int, str]:
        """Start the process and wait for its end: exit code and last words."""
        self.state = State.STARTING
        log = self._folder.log_of(self.spec.name)
        self._port = self.spec.port or free_ports(1)[0]
        with log.open("ab") as output:
            beginning = output.tell()
            self._times.launched()
            self._process = await asyncio.create_subprocess_exec(
                *bound_command(self.spec.command),
                env=self._environment(self._port),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is for the supervisor, which stops in order
            )
        if self._asked_to_stop.is_set():  # stop() came while the process was being made
            self._signal(kill=False)
        identity = ProcessIdentity.of(self._process.pid)
        if identity:
            self._folder.remember(self.spec.name, identity)
        watch = asyncio.create_task(self._watch_readiness(self._port))
        try:
            code = await self._process.wait()
        finally:
            watch.cancel()
            self._process = None
            self._folder.forget(self.spec.name)
        return code, last_line(log, beginning)

    def _environment(self, port: int) -> dict[str, str]:
        given = dict(self.spec.environment) | self._folder.marks(self.spec.name)
        return given if self.spec.port else given | {"MEDIAFLOW_HEALTH_PORT": str(port)}

    async def _watch_readiness(self, port: int) -> None:
        while True:
            ready = await is_ready(self.spec.host, port)
            if self.state in (State.STARTING, State.READY):
                if ready and self.state is State.STARTING:
                    self._times.became_ready()
                    _log.info("process_ready", process=self.spec.name, after_s=round(self._times.age_s, 2))
                self.state = State.READY if ready else State.STARTING
            await asyncio.sleep(_CALM_S if ready else _EAGER_S)

    def _signal(self, *, kill: bool) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill() if kill else self._process.terminate()

    async def _ended_within(self, limit_s: float) -> bool:
        assert self._task is not None  # noqa: S101 - start() came before
        done, _ = await asyncio.wait({self._task}, timeout=limit_s)
        return bool(done)
