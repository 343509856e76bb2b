"""A gigabyte as the raw body of an upload, against `cat file > other`, and what it does to ingest's memory."""

import os
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil

from mediaflow_bench import server
from mediaflow_bench.row import Row, at_most, below, compared, interleaved
from mediaflow_bench.workplace import ProgramFailed, Workplace

_MIB = 1024 * 1024
_PIECE = 16 * _MIB
_SAMPLE_INTERVAL_S = 0.02


def measure(workplace: Workplace) -> Iterator[Row]:
    """Measure with the store's usual care (it waits for the disk), and without it, as cat does not wait either."""
    size = workplace.pick(1024, 256) * _MIB
    source = workplace.folder / "upload.mp4"
    _write_noise(source, size)
    try:
        yield from _measure_upload(workplace, source, size)
    finally:
        source.unlink()


def _measure_upload(workplace: Workplace, source: Path, size: int) -> Iterator[Row]:
    times = workplace.pick(5, 2)
    with workplace.vhost() as amqp_url:
        peaks: list[float] = []
        with server.ingest(workplace, amqp_url) as usual:
            upload = _watched(usual, peaks, partial(_upload, usual, source))
            ours, plain, synced = interleaved(
                times, _settled(workplace, upload), _cat(workplace, source, ""), _cat(workplace, source, "; sync")
            )
        with server.ingest(workplace, amqp_url, MEDIAFLOW_STORE_FSYNC="false") as unsynced:
            upload = _settled(workplace, partial(_upload, unsynced, source))
            hasty, plain_again = interleaved(times, upload, _cat(workplace, source, ""))
    name = f"{size // _MIB} MiB raw body"
    rate = f"{size / _MIB / statistics.median(ours):.0f} MiB/s"
    yield compared(
        f"ingest, {name}: against cat file > other", "s", ours, plain, at_most(1.5), f"waits for disk; {rate}"
    )
    yield compared(f"ingest, {name}: against cat and sync, which wait for the disk too", "s", ours, synced)
    yield compared(f"ingest, {name}, MEDIAFLOW_STORE_FSYNC=false: against cat file > other", "s", hasty, plain_again)
    yield Row(
        f"ingest, {name}: memory above idle, all its processes",
        "MB",
        max(peaks),
        target=below(40),
        note=f"peak of resident memory, sampled each {_SAMPLE_INTERVAL_S * 1000:.0f} ms",
        samples={"ours": peaks},
    )


def _settled(workplace: Workplace, action: Callable[[], None]) -> Callable[[], float]:
    """Time the action alone: with nothing left to write from before, and what it wrote removed after."""

    def run() -> float:
        os.sync()
        began = time.perf_counter()
        action()
        seconds = time.perf_counter() - began
        shutil.rmtree(workplace.folder / "store" / "assets", ignore_errors=True)
        (workplace.folder / "copy.mp4").unlink(missing_ok=True)
        return seconds

    return run


def _cat(workplace: Workplace, source: Path, then: str) -> Callable[[], float]:
    copy = workplace.folder / "copy.mp4"
    after = f"{then} '{copy}'" if then else ""

    def run() -> None:
        subprocess.run(["sh", "-c", f"cat '{source}' > '{copy}'{after}"], check=True)

    return _settled(workplace, run)


def _upload(target: server.Server, source: Path) -> None:
    # -T streams the file; --data-binary would read all of it into curl's memory first.
    options = ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "-H", "Content-Type: video/mp4"]
    done = subprocess.run(
        ["curl", *options, "-T", str(source), target.url], capture_output=True, text=True, check=False
    )
    if done.stdout != "202":
        raise ProgramFailed(f"curl: {done.stdout} {done.stderr}")


def _watched(target: server.Server, peaks: list[float], action: Callable[[], None]) -> Callable[[], None]:
    """Note for each run how far the resident memory rose above what it was before the first one, in MB."""
    idle = _resident(target.processes())

    def run() -> None:
        with _sampling(target) as samples:
            action()
        peaks.append((max(samples) - idle) / 1e6)

    return run


@contextmanager
def _sampling(target: server.Server) -> Iterator[list[int]]:
    processes, over, samples = target.processes(), threading.Event(), [0]

    def sample() -> None:
        while not over.wait(_SAMPLE_INTERVAL_S):
            samples.append(_resident(processes))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def _resident(processes: list[psutil.Process]) -> int:
    return sum(process.memory_info().rss for process in processes)


def _write_noise(path: Path, size: int) -> None:
    piece = os.urandom(_PIECE)
    with path.open("wb") as file:
        for _ in range(size // _PIECE):
            file.write(piece)
