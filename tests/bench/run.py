"""Measures Mediaflow and prints one table; the command behind `make bench`.

make bench                                 everything
make bench ARGS="worker ingest"            the subjects whose names begin so
make bench ARGS="--quick transcode"        short runs: to see that it works, not to quote
make bench ARGS="--list"                   the names
"""

import argparse
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mediaflow_bench import subjects
from mediaflow_bench.machine import Neighbours, describe_machine
from mediaflow_bench.report import line_of, print_table, write_json
from mediaflow_bench.row import Row
from mediaflow_bench.workplace import ROOT, Workplace


def main(arguments: list[str]) -> int:
    """Measure what was asked for. 0: measured; 1: not all could be, or --strict and a target was missed."""
    options = _options(arguments)
    chosen = subjects.chosen(options.names)
    if not chosen:
        sys.exit(f"no subject begins with {' or '.join(options.names)}; there are: {', '.join(subjects.SUBJECTS)}")
    if options.list:
        print("\n".join(chosen))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends everything that was started, as Ctrl-C does
    machine = describe_machine() | {"quick": options.quick}
    print("  ".join(f"{name} {value}" for name, value in machine.items()), flush=True)
    measured: list[Measured] = []
    interrupted = False
    try:
        with Workplace(quick=options.quick) as workplace:
            for name in chosen:
                measured.append(Measured(name))
                _measure(measured[-1], workplace)
    except (KeyboardInterrupt, SystemExit):
        interrupted = True  # what is measured is reported all the same
    rows = [row for subject in measured for row in subject.rows]
    print_table(rows)
    write_json(options.json, machine, [subject.as_json() for subject in measured])
    print(f"written to {options.json}")
    failed = interrupted or any(subject.error for subject in measured)
    missed = any(row.holds is False for row in rows)
    return 1 if failed or (options.strict and missed) else 0


@dataclass
class Measured:
    """A subject's rows, and under which conditions they were taken."""

    name: str
    rows: list[Row] = field(default_factory=list)
    load_before: float = 0.0
    neighbours: float = 0.0
    seconds: float = 0.0
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "rows": [row.as_json() for row in self.rows]}


def _measure(measured: Measured, workplace: Workplace) -> None:
    """Measure one subject; what was measured before something failed is kept."""
    neighbours, began = Neighbours(), time.monotonic()
    measured.load_before = neighbours.load_before
    try:
        for row in subjects.SUBJECTS[measured.name](workplace):
            measured.rows.append(row)
            print(line_of(row), flush=True)
    except Exception as error:
        traceback.print_exc()
        measured.error = str(error).partition("\n")[0] or type(error).__name__
    measured.neighbours = neighbours.share()
    measured.seconds = round(time.monotonic() - began, 1)
    failure = f"; FAILED: {measured.error}" if measured.error else ""
    failure = f"; FAILED: {measured.error}" if measured.error else ""
    others = f"load average before it {measured.load_before}, meanwhile others took {measured.neighbours:.0%}"
    print(f"{measured.name}: {measured.seconds:.0f} s; {others} of the processors{failure}", flush=True)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="beginnings of subjects' names; without any, all")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a target is missed")
    parser.add_argument("--list", action="store_true", help="print the subjects and end")
    usual = ROOT / ".run" / "bench" / f"{datetime.now():%Y%m%d-%H%M%S}.json"
    parser.add_argument("--json", type=Path, default=usual, help="where the JSON goes")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
