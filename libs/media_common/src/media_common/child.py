"""Runs one child program within bounds of time and memory; it never outlives us."""

import os
import resource
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from media_common.errors import JobCancelled, LimitExceeded, MediaError, ToolMissing
from media_common.lifeline import bound_command
from media_common.line_stream import LineStream, Tail
from media_common.verdict import failure_of, ran_out_of_memory

#: How often, in seconds, a running child is checked against its limits and for cancellation.
TICK_S = 0.1
#: The most, in bytes, that a child may say on a standard output nobody reads line by line.
STDOUT_LIMIT = 64 * 1024 * 1024
#: A child needs these of our environment and nothing else: the broker's password stays with us.
ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TZ")


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a child cost. Times in seconds.

    `max_rss_bytes` is the kernel's figure, which starts at our own size. `stdout` is empty when the
    lines went to `on_line`.
    """

    wall_s: float
    user_s: float
    system_s: float
    max_rss_bytes: int
    stderr_tail: str
    stdout: bytes = b""


def run_child(
    arguments: Sequence[str],
    *,
    cwd: Path,
    time_limit_s: float,
    memory_limit_mb: int | None,
    cancelled: threading.Event | None = None,
    on_line: Callable[[str], None] | None = None,
    env: Mapping[str, str] | None = None,
    judges_input: bool = False,
) -> RunReport:
    """Run a program to its end and say what it cost.

    arguments: the program and its arguments; there is no shell. on_line: gets each line of its standard
    output as it comes. env: added to the few variables of ours that a child gets. judges_input: the
    program reads media, so a complaint about its input is the input's fault.

    The program runs in a process group of its own, which ends with it. It is killed when the time is up,
    when `cancelled` is set, when `on_line` raises, and when this process dies in whatever way.
    Raises LimitExceeded (time, memory, output), JobCancelled, BadMedia, ToolFailed, ToolMissing.
    """
    started = time.monotonic()
    tail, stdout = Tail(), _Collected(arguments[0])
    errors = LineStream(tail.append)
    lines = LineStream(on_line) if on_line else None
    bounds = _Bounds(started + time_limit_s, time_limit_s, cancelled)
    bounds.check()
    with _started(arguments, cwd, memory_limit_mb, env) as process:
        _watch(process, (lines or stdout).feed, errors.feed, bounds)
    for stream in filter(None, (lines, errors)):
        stream.close()
    failure = _failure(process, arguments[0], tail.text(), memory_limit_mb, judges_input=judges_input)
    if failure is not None:
        raise failure
    usage = process.usage
    return RunReport(
        wall_s=time.monotonic() - started,
        user_s=usage.ru_utime,
        system_s=usage.ru_stime,
        max_rss_bytes=usage.ru_maxrss * 1024,
        stderr_tail=tail.text(),
        stdout=bytes(stdout.data),
    )


def _failure(
    process: "_Process", program: str, said: str, memory_limit_mb: int | None, *, judges_input: bool
) -> MediaError | None:
    starved = judges_input and memory_limit_mb is not None and ran_out_of_memory(said)
    if process.returncode == 0 and not starved:
        return None
    return failure_of(
        Path(program).name, process.returncode, said, memory_limit_mb=memory_limit_mb, judges_input=judges_input
    )


class _Process(subprocess.Popen[bytes]):
    """A child with what it used up, known once it is reaped."""

    usage: resource.struct_rusage

    def has_ended(self) -> bool:
        # WNOWAIT leaves it as a zombie, which keeps its number (and its group's) from being given away
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def end(self) -> None:
        """Kill what is left of the group, then reap the child."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status, self.usage = os.wait4(self.pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)


@contextmanager
def _started(
    arguments: Sequence[str], cwd: Path, memory_limit_mb: int | None, env: Mapping[str, str] | None
) -> Iterator[_Process]:
    program = shutil.which(arguments[0])
    if program is None:
        raise ToolMissing(f"{arguments[0]} is not installed here")
    limit = None if memory_limit_mb is None else memory_limit_mb * 1024 * 1024
    ours = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    process = _Process(
        bound_command(Path(program).absolute(), arguments[1:], limit),
        cwd=cwd,
        env=ours | dict(env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        process_group=0,
    )
    try:
        yield process
    finally:
        process.end()
        for pipe in filter(None, (process.stdout, process.stderr)):
            pipe.close()


@dataclass(frozen=True, slots=True)
class _Bounds:
    deadline: float
    time_limit_s: float
    cancelled: threading.Event | None

    def check(self) -> None:
        if self.cancelled is not None and self.cancelled.is_set():
            raise JobCancelled("the job was told to stop")
        if time.monotonic() >= self.deadline:
            raise LimitExceeded(f"the work did not end within its time limit of {self.time_limit_s:.0f} s")


class _Collected:
    def __init__(self, program: str) -> None:
        self.data = bytearray()
        self._program = Path(program).name

    def feed(self, data: bytes) -> None:
        self.data += data
        if len(self.data) > STDOUT_LIMIT:
            raise LimitExceeded(f"{self._program} wrote more than {STDOUT_LIMIT >> 20} MiB of output")


def _watch(
    process: _Process,
    on_stdout: Callable[[bytes], None],
    on_stderr: Callable[[bytes], None],
    bounds: _Bounds,
) -> None:
    """Pass on what the child says until it has ended and its pipes are empty."""
    pause_s = 0.0005
    with selectors.DefaultSelector() as selector:
        for pipe, sink in ((process.stdout, on_stdout), (process.stderr, on_stderr)):
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ, sink)
        while True:
            ended = process.has_ended()
            # Both pipes closed: it is about to end, or went on in silence.
            ready = selector.select(0 if ended else TICK_S) if selector.get_map() else []
            for key, _ in ready:
                data = os.read(key.fd, 65536)
                if data:
                    key.data(data)
                else:
                    selector.unregister(key.fileobj)
            if ended and not ready:
                return
            bounds.check()
            if not ended and not selector.get_map():
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, TICK_S)
