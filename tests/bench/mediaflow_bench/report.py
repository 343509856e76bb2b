"""The report: a table for people, a JSON file for comparisons."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from mediaflow_bench.row import Row

_WIDTH = 180
_VERDICTS = {True: "holds", False: "MISSED", None: "-"}


def table_of(rows: Sequence[Row]) -> Table:
    """Lay the rows out."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("what", overflow="fold", max_width=58)
    for column in ("ours", "peer", "ratio"):
        table.add_column(column, justify="right", no_wrap=True)
    for column in ("target", "verdict"):
        table.add_column(column, no_wrap=True)
    table.add_column("note", overflow="fold")
    for row in rows:
        table.add_row(
            row.what,
            _figure(row.ours, row.unit),
            _figure(row.peer, row.unit) if row.peer is not None else "-",
            f"{row.ratio:.2f}" if row.ratio is not None else "-",
            _target(row),
            _VERDICTS[row.holds],
            row.note,
        )
    return table


def print_table(rows: Sequence[Row]) -> None:
    """Print the table; into a pipe or a file it is wide."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(width=_WIDTH, highlight=False)
    console.print(table_of(rows))


def line_of(row: Row) -> str:
    """Say a row in one line, for those who watch."""
    peer = f" against {_figure(row.peer, row.unit)}: {row.ratio:.2f}" if row.peer else ""
    return f"  {row.what}: {_figure(row.ours, row.unit)}{peer}  {_VERDICTS[row.holds]}"


def write_json(path: Path, machine: dict[str, Any], subjects: Sequence[dict[str, Any]]) -> None:
    """Write everything that was measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    report = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine, "subjects": list(subjects)}
    path.write_text(json.dumps(report, indent=2) + "\n")


def _figure(value: float, unit: str) -> str:
    digits = 0 if value >= 1000 or value == int(value) else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def _target(row: Row) -> str:
    if row.target is None:
        return "-"
    limit = f"{row.target.sign} {row.target.limit:g}"
    return limit if row.target.judged == "ratio" else f"{limit} {row.unit}"
