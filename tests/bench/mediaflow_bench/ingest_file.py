"""A gigabyte as the raw body of an upload, against `cat > file` from a socket, and what it does to ingest's memory."""

import mmap
import os
import shutil
import socket
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
_STANDSTILL_S = 1.5


def measure(workplace: Workplace) -> Iterator[Row]:
    """Measure with the store's usual care (it waits for the disk), and without it, as cat does not wait either.

    One program sends the same file over loopback TCP to both sides.
    """
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
    copy = _copy(workplace)
    with server.ingest(workplace, amqp_url) as usual:
        upload = _watched(usual, peaks, partial(_upload, workplace, usual, source, "sendfile"))
        ours, sent, synced, plain, copied, copied_cat = interleaved(
            workplace.pick(5, 2),
            _settled(workplace, upload),
            _settled(workplace, partial(_to_shell, workplace, source, "sendfile", f"cat > '{copy}'")),
            _settled(workplace, partial(_to_shell, workplace, source, "sendfile", f"cat > '{copy}'; sync '{copy}'")),
            _settled(workplace, partial(_shell, f"cat '{source}' > '{copy}'")),
            _settled(workplace, partial(_upload, workplace, usual, source, "copied")),
            _settled(workplace, partial(_to_shell, workplace, source, "copied", f"cat > '{copy}'")),
        )
    name = f"ingest, {size // _MIB} MiB raw body"
    rate = f"{size / _MIB / statistics.median(ours):.0f} MiB/s"
    note = f"ours hashed and on the disk when it is answered; {rate}"
    yield compared(f"{name}: against cat > file from the same socket", "s", ours, sent, at_most(1.5), note)
    yield compared(f"{name}: against cat > file; sync file, from the same socket", "s", ours, synced)
    named = f"{name}, from a sender that copies as curl does: against cat > file"
    yield compared(named, "s", copied, copied_cat, at_most(1.5))
    yield compared(f"{name}: against cat other > file, which moves nothing through a socket", "s", ours, plain)
    yield Row(
        f"{name}: memory above idle, all processes",
        "MB",
        max(peaks),
        target=below(40),
        note=f"peak of resident memory, sampled each {_SAMPLE_INTERVAL_S * 1000:.0f} ms",
        samples={"ours": peaks},
    )


def _measure_unsynced(workplace: Workplace, amqp_url: str, source: Path, size: int) -> Iterator[Row]:
    line = f"cat > '{_copy(workplace)}'"
    with server.ingest(workplace, amqp_url, MEDIAFLOW_STORE_FSYNC="false") as unsynced:
        ours, peer = interleaved(
            workplace.pick(5, 2),
            _settled(workplace, partial(_upload, workplace, unsynced, source, "sendfile")),
            _settled(workplace, partial(_to_shell, workplace, source, "sendfile", line)),
        )
    name = f"ingest, {size // _MIB} MiB raw body, MEDIAFLOW_STORE_FSYNC=false"
    yield compared(f"{name}: against cat > file from the same socket", "s", ours, peer)


def _settled(workplace: Workplace, action: Callable[[], float]) -> Callable[[], float]:
    """Time the action alone: with nothing left to write from before, and what it wrote removed after."""

    def run() -> float:
        os.sync()
        seconds = action()
        shutil.rmtree(workplace.folder / "store" / "assets", ignore_errors=True)
        _copy(workplace).unlink(missing_ok=True)
        return seconds

    return run


def _shell(line: str) -> float:
    began = time.perf_counter()
    subprocess.run(["sh", "-c", line], check=True)
    return time.perf_counter() - began


def _to_shell(workplace: Workplace, source: Path, way: str, line: str) -> float:
    """Send the file to a shell whose standard input is the connection; it ends when the shell does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                shell = subprocess.Popen(["sh", "-c", line], stdin=connection)
            shell.wait()

        thread = threading.Thread(target=serve)
        thread.start()
        seconds = workplace.run("send_file", listener.getsockname()[1], source, way)["seconds"]
        thread.join()
    return float(seconds)


def _copy(workplace: Workplace) -> Path:
    return workplace.folder / "copy.mp4"


def _upload(workplace: Workplace, target: server.Server, source: Path, way: str) -> float:
    answer = workplace.run("send_file", target.port, source, way, "/media/upload")
    if answer["status"] != "202":
        raise ProgramFailed(f"ingest answered {answer['status']}")
    return float(answer["seconds"])


def _watched(target: server.Server, peaks: list[float], action: Callable[[], float]) -> Callable[[], float]:
    """Note for each run how far the resident memory rose above what it was before the first one, in MB."""
    idle = _idle(target)

    def run() -> float:
        with _sampling(target) as samples:
            seconds = action()
        peaks.append((max(samples) - idle) / 1e6)
        return seconds

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


def _idle(target: server.Server) -> int:
    """Give the resident memory once it stands still: the first worker answers before the others have started."""
    before, now = 0, _resident(target.processes())
    while abs(now - before) > _MIB:
        time.sleep(_STANDSTILL_S)
        before, now = now, _resident(target.processes())
    return now


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
