"""A gigabyte as the raw body of an upload, against `cat file > other`, and what it does to ingest's memory."""

import mmap
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
    _touch_memory(4 * size)
    try:
        with workplace.vhost() as amqp_url:
            yield from _measure_usual(workplace, amqp_url, source, size)
            yield from _measure_unsynced(workplace, amqp_url, source, size)
    finally:
        source.unlink()


def _measure_usual(workplace: Workplace, amqp_url: str, source: Path, size: int) -> Iterator[Row]:
    peaks: list[float] = []
    with server.ingest(workplace, amqp_url) as usual:
        upload = _watched(usual, peaks, partial(_upload, usual, source))
        ours, plain, piped, synced = interleaved(
            workplace.pick(5, 2),
            _settled(workplace, upload),
            _shell(workplace, f"cat '{source}' > '{_copy(workplace)}'"),
            _shell(workplace, f"cat '{source}' | cat > '{_copy(workplace)}'"),
            _shell(workplace, f"cat '{source}' > '{_copy(workplace)}'; sync '{_copy(workplace)}'"),
        )
    name = f"ingest, {size // _MIB} MiB raw body"
    rate = f"{size / _MIB / statistics.median(ours):.0f} MiB/s"
    note = f"hashed and on the disk when it is answered; {rate}"
    yield compared(f"{name}: against cat other > file", "s", ours, plain, at_most(1.5), note)
    yield compared(f"{name}: against cat > file from a pipe, which the kernel can't shorten", "s", ours, piped)
    yield compared(f"{name}: against cat other > file; sync file", "s", ours, synced)
    yield Row(
        f"{name}: memory above idle, all processes",
        "MB",
        max(peaks),
        target=below(40),
        note=f"peak of resident memory, sampled each {_SAMPLE_INTERVAL_S * 1000:.0f} ms",
        samples={"ours": peaks},
    )


def _measure_unsynced(workplace: Workplace, amqp_url: str, source: Path, size: int) -> Iterator[Row]:
    with server.ingest(workplace, amqp_url, MEDIAFLOW_STORE_FSYNC="false") as unsynced:
        ours, plain = interleaved(
            workplace.pick(5, 2),
            _settled(workplace, partial(_upload, unsynced, source)),
            _shell(workplace, f"cat '{source}' > '{_copy(workplace)}'"),
        )
    name = f"ingest, {size // _MIB} MiB raw body, MEDIAFLOW_STORE_FSYNC=false"
    yield compared(f"{name}: against cat other > file", "s", ours, plain)


def _settled(workplace: Workplace, action: Callable[[], object]) -> Callable[[], float]:
    """Time the action alone: with nothing left to write from before, and what it wrote removed after."""

    def run() -> float:
        os.sync()
        began = time.perf_counter()
        action()
        seconds = time.perf_counter() - began
        shutil.rmtree(workplace.folder / "store" / "assets", ignore_errors=True)
        _copy(workplace).unlink(missing_ok=True)
        return seconds

    return run


def _shell(workplace: Workplace, line: str) -> Callable[[], float]:
    return _settled(workplace, lambda: subprocess.run(["sh", "-c", line], check=True))


def _copy(workplace: Workplace) -> Path:
    return workplace.folder / "copy.mp4"


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


def _touch_memory(size: int) -> None:
    """Have the host of a virtual machine give it memory now, and not to whoever writes first."""
    with mmap.mmap(-1, min(size, psutil.virtual_memory().available // 2), mmap.MAP_PRIVATE) as memory:
        for offset in range(0, len(memory), mmap.PAGESIZE):
            memory[offset] = 1
