"""What a fleet that has nothing to do takes of the memory, and how long it takes to be ready."""

import json
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from signal import SIGKILL
from typing import Any

import psutil

from local_fleet.broker import PrivateBroker
from local_fleet.ports import free_ports
from mediaflow_bench.row import Row, Target, below, interleaved
from mediaflow_bench.workplace import ROOT, ProgramFailed, Workplace

#: Beyond the broker's own start, in seconds.
ALLOWANCE_S = 3.0
#: Memory of a worker, and of ingest, in MB.
WORKER_MB, INGEST_MB = 60.0, 90.0
#: How long processes are left alone before they count as idle, in seconds.
_CALM_S = 5.0
_LIMIT_S = 240.0


def measure(workplace: Workplace) -> Iterator[Row]:
    """Start a fleet and a lone broker in turn, both warm, and look at the fleet's processes."""
    fleet = Fleet(workplace)
    with _broker(workplace) as broker, fleet.ended_afterwards():
        fleet.up(), fleet.down()  # the first start makes the broker's data
        broker.start(), broker.stop()

        def start_fleet() -> float:
            seconds = fleet.up()
            snapshots.append(fleet.idle())
            fleet.down()
            return seconds

        def start_broker() -> float:
            began = time.perf_counter()
            broker.start()
            seconds = time.perf_counter() - began
            broker.stop()
            return seconds

        snapshots: list[dict[str, list[Memory]]] = []
        ups, brokers = interleaved(workplace.pick(3, 1), start_fleet, start_broker)
    beyond = [up - own for up, own in zip(ups, brokers, strict=True)]
    yield Row(
        "fleet: warm `make up` to ready, against the broker's own start",
        "s",
        statistics.median(ups),
        statistics.median(brokers),
        note=f"{len(ups)} starts",
        samples={"ours": ups, "peer": brokers},
    )
    target = Target("≤", ALLOWANCE_S, "ours")
    yield Row("fleet: warm `make up` beyond the broker's own start", "s", statistics.median(beyond), target=target)
    yield from _memory_rows(snapshots)


def _memory_rows(snapshots: list[dict[str, "list[Memory]"]]) -> Iterator[Row]:
    for name in snapshots[0]:
        runs = [snapshot[name] for snapshot in snapshots]
        rss = [max(each.rss_mb for each in run) for run in runs]
        pss = [sum(each.pss_mb for each in run) for run in runs]
        count = len(runs[0])
        target = {"ingest": below(INGEST_MB), "broker": None}.get(name, below(WORKER_MB))
        samples = {"rss": rss, "pss_of_all": pss}
        if count == 1:
            note = f"resident; proportional share {statistics.median(pss):.1f} MB"
            yield Row(f"idle memory: {name}", "MB", statistics.median(rss), target=target, note=note, samples=samples)
            continue
        total = statistics.median(sum(each.rss_mb for each in run) for run in runs)
        note = f"its {count} processes together, shared pages once; largest alone {statistics.median(rss):.1f} MB"
        note += f" resident, sum of residents {total:.1f} MB"
        yield Row(f"idle memory: {name}", "MB", statistics.median(pss), target=target, note=note, samples=samples)


class Memory:
    """What one process holds, in MB: resident, and its proportional share of pages that it shares."""

    def __init__(self, process: psutil.Process) -> None:
        info = process.memory_full_info()
        self.rss_mb, self.pss_mb = info.rss / 1e6, info.pss / 1e6


class Fleet:
    """A fleet of this repository, driven by make, in a folder of the workplace."""

    def __init__(self, workplace: Workplace) -> None:
        self._folder = workplace.folder / "fleet"
        (port,) = free_ports(1)
        self._environment = workplace.environment(
            {
                "MEDIAFLOW_FLEET_FOLDER": str(self._folder),
                "MEDIAFLOW_FLEET_BROKER": "private",
                "MEDIAFLOW_FLEET_CONSOLE": "off",
                "MEDIAFLOW_INGEST_PORT": str(port),
            }
        )

    def up(self) -> float:
        """Start it; gives the seconds until `make up` says it is ready."""
        began = time.perf_counter()
        self._make("up")
        return time.perf_counter() - began

    def down(self) -> None:
        """End it."""
        self._make("down")

    @contextmanager
    def ended_afterwards(self) -> Iterator[None]:
        """Make sure that nothing of it stays."""
        try:
            yield
        finally:
            self.down()
            shutil.rmtree(self._folder, ignore_errors=True)

    def idle(self) -> dict[str, list[Memory]]:
        """Leave the fleet alone for a while, then give the memory of each member's processes."""
        time.sleep(_CALM_S)
        status: Mapping[str, Any] = json.loads(self._mediaflow("status", "--json"))
        pids = {"supervisor": status["supervisor"]}
        pids |= {each["name"]: each["pid"] for each in status["processes"]}
        return {name: _family(pid, alone=name == "supervisor") for name, pid in pids.items()}

    def _make(self, target: str) -> None:
        self._run(["make", "--no-print-directory", target])

    def _mediaflow(self, *arguments: str) -> str:
        return self._run([str(Path(ROOT, ".venv", "bin", "mediaflow")), *arguments])

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        if done.returncode != 0:
            raise ProgramFailed(f"{' '.join(command)}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout


def _family(pid: int, *, alone: bool) -> list[Memory]:
    process = psutil.Process(pid)
    return [Memory(each) for each in ([process] if alone else [process, *process.children(recursive=True)])]


@contextmanager
def _broker(workplace: Workplace) -> Iterator[PrivateBroker]:
    broker = PrivateBroker(workplace.folder / "lone-broker", death_signal=SIGKILL)
    try:
        yield broker
    finally:
        broker.kill()
