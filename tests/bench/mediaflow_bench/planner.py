"""How long an answer of the planner takes, its process' start included: an operator waits for it."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from mediaflow_bench.row import Row, no_more_than
from mediaflow_bench.workplace import Workplace

#: Seconds of processor time that a question may take: what will happen, and with the search for better settings.
FORECAST_S, SEARCH_S = 1.5, 6.0

_QUESTIONS = {
    "a backlog of 2,000": ("--backlog", "2000", "--lag", "60s"),
    "15/s, uploads doubled": ("--arrival", "7.5/s", "--times", "2", "--lag", "60s"),
}


def measure(workplace: Workplace) -> Iterator[Row]:
    """Ask the command line without a fleet, for the channel with two-second jobs."""
    for name, options in _QUESTIONS.items():
        for search, limit_s in (("--no-search", FORECAST_S), ("--search", SEARCH_S)):
            runs = [_seconds(workplace.folder, *options, search) for _ in range(workplace.pick(3, 1))]
            what = f"planner: {name}, {'what happens' if search == '--no-search' else 'and what is better'}"
            wall = f"{statistics.median(each[1] for each in runs):.1f} s on the clock"
            processor = statistics.median(each[0] for each in runs)
            yield Row(what, "CPU s", processor, target=no_more_than(limit_s), note=wall, samples={"ours": runs})


def _seconds(folder: Path, *options: str) -> tuple[float, float]:
    """Give processor time and time on the clock of one question."""
    measured = (
        "import json, resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps(used.ru_utime + used.ru_stime))"
    )
    command = [sys.executable, "-m", "console.planner", "--channel", "transcode", "--json", *options]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", measured, *command],
        env={"PATH": "/usr/bin:/bin", "MEDIAFLOW_PROFILE": "simulated", "MEDIAFLOW_FLEET_FOLDER": str(folder / "none")},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)), time.monotonic() - began
