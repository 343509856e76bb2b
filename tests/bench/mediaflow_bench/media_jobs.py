"""Runs media work and takes its cost: a channel's job in a worker-like process, and plain commands."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mediaflow_bench.workplace import ProgramFailed, Workplace


@dataclass(frozen=True)
class Cost:
    """What some work cost: seconds on the clock, seconds of processor time, the largest process in MB."""

    wall_s: float
    cpu_s: float
    peak_mb: float = 0.0
    #: What the job said about its result.
    result: dict[str, Any] = field(default_factory=dict)


class JobProcess:
    """A process that runs one channel's job as its worker would."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, store: Path) -> None:
        self._process, self._log, self._store = process, log, store

    def run(self, video: Path) -> Cost:
        """Run the job on a video."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{video}\n".encode())
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise ProgramFailed(f"the job's process ended: {self._log.read_text(errors='replace')[-2000:]}")
        answer = json.loads(line)
        if not answer["done"]:
            raise ProgramFailed("the job took the event for a duplicate")
        return Cost(answer["wall_s"], answer["cpu_s"], answer["peak_mb"], answer)

    def outputs(self, cost: Cost, channel: str) -> Path:
        """Give the folder in the store where a run's outputs are."""
        return self._store / "assets" / cost.result["asset_id"] / channel


@contextmanager
def job_process(workplace: Workplace, channel: str) -> Iterator[JobProcess]:
    """Start a process for a channel's jobs; its store is a folder of the workplace."""
    store, scratch = workplace.folder / "job-store", workplace.folder / "job-scratch"
    scratch.mkdir(exist_ok=True)
    log = workplace.folder / f"{channel}.log"
    command = [sys.executable, "-m", "mediaflow_bench.programs.media_job", channel]
    environment = {"MEDIAFLOW_STORE_URL": store.as_uri(), "MEDIAFLOW_MEDIA_SCRATCH_DIR": str(scratch)}
    with workplace.running(command, log, **environment) as process:
        yield JobProcess(process, log, store)


def cost_of(commands: Sequence[Sequence[str]], cwd: Path) -> Cost:
    """Run commands one after the other and give what they cost together."""
    began, cpu_s, peak_kib = time.perf_counter(), 0.0, 0
    for command in commands:
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise ProgramFailed(f"{' '.join(command)}: exit code {process.returncode}")
        cpu_s += usage.ru_utime + usage.ru_stime
        peak_kib = max(peak_kib, usage.ru_maxrss)
    return Cost(time.perf_counter() - began, cpu_s, peak_kib * 1024 / 1e6)
