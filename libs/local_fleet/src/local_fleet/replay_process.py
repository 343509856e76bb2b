"""One run of the replayer: a process that ends by itself, tells how far it is, and is not started again."""

import asyncio
import contextlib
import json
import subprocess
import time
from collections.abc import Mapping
from typing import Any

import structlog

from local_fleet.exits import describe_exit, last_line
from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command
from local_fleet.member import MemberSpec
from local_fleet.member_state import Ending
from local_fleet.run_folder import RunFolder

_log = structlog.get_logger()

#: The longest line of progress that is read, in bytes.
_LONGEST_LINE = 1024 * 1024

#: The shell's exit code for what could not be run.
_NOT_STARTED = 127

#: How long a process may take to die after SIGKILL, in seconds.
_KILL_S = 5.0


class ReplayProcess:
    """Runs the replayer of `spec` once. Belongs to the event loop of the main thread.

    `request` is what the run was asked for, in the asker's own words: it is kept and given back.
    """

    def __init__(self, run_id: str, channel: str, spec: MemberSpec, request: Mapping[str, Any]) -> None:
        self.id, self.channel, self.spec = run_id, channel, spec
        self._request = request
        self._progress: dict[str, Any] = {}
        self._said = ""
        self._code: int | None = None
        self._stopping = False
        self._started_at = time.time()
        self._ended_at: float | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def ended(self) -> bool:
        """Whether the process has gone."""
        return self._ended_at is not None

    def start(self, folder: RunFolder) -> None:
        """Begin to run."""
        self._task = asyncio.get_running_loop().create_task(self._run(folder))

    def ask_to_stop(self) -> None:
        """Let it end in order; what it has not moved stays where it is."""
        self._stopping = True
        self._signal(kill=False)

    async def stop(self, grace_s: float) -> Ending:
        """Let it end in order, kill it after `grace_s` seconds: what it holds is then its queue's again."""
        if self._task is None or self.ended:
            return Ending.NOT_RUNNING
        self.ask_to_stop()
        if await self._ended_within(grace_s):
            return Ending.STOPPED
        self._signal(kill=True)
        await self._ended_within(_KILL_S)
        return Ending.KILLED

    def describe(self) -> dict[str, Any]:
        """Tell all that is known of the run: times in seconds since 1970, `progress` as the replayer's last line."""
        return {
            "id": self.id,
            "channel": self.channel,
            "request": dict(self._request),
            "pid": self._process.pid if self._process and not self.ended else None,
            "started_at": self._started_at,
            "ended_at": self._ended_at,
            "stopping": self._stopping,
            "exit_code": self._code,
            "progress": self._progress,
            "said": self._said,
        }

    async def _run(self, folder: RunFolder) -> None:
        _log.info("replay_started", replay=self.id, channel=self.channel)
        try:
            self._code, said = await self._live(folder)
        except (OSError, ValueError) as error:  # no process could be made: limits, memory, disk; a zero in an option
            self._code, said = _NOT_STARTED, str(error)
        self._said = describe_exit(self._code, said) if self._code else ""
        self._ended_at = time.time()
        _log.info("replay_ended", replay=self.id, channel=self.channel, code=self._code, said=self._said)

    async def _live(self, folder: RunFolder) -> tuple[int, str]:
        log = folder.log_of(self.spec.name)
        with log.open("ab") as errors:
            beginning = errors.tell()
            process = await asyncio.create_subprocess_exec(
                *bound_command(self.spec.command),
                env=dict(self.spec.environment) | folder.marks(self.spec.name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for the supervisor, which stops in order
            )
        self._process = process
        if self._stopping:  # asked to stop while the process was being made
            self._signal(kill=False)
        identity = ProcessIdentity.of(process.pid)
        if identity:
            folder.remember(self.spec.name, identity)
        try:
            await self._follow(process)
            code = await process.wait()
        finally:
            folder.forget(self.spec.name)
        return code, last_line(log, beginning)

    async def _follow(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:  # longer than anything the replayer says; the rest of it is read as a line of its own
                continue
            if not line:
                return
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if isinstance(said, dict):
                    self._progress = said

    def _signal(self, *, kill: bool) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill() if kill else self._process.terminate()

    async def _ended_within(self, limit_s: float) -> bool:
        assert self._task is not None  # noqa: S101 - start() came before
        done, _ = await asyncio.wait({self._task}, timeout=limit_s)
        return bool(done)
