"""The run's outcome: a table for people, JSON for everything else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from mediaflow_chaos.checker import ChannelAccount

#: More sentences of one kind say nothing new on a screen; the JSON has them all.
_MOST_FAULTS_SHOWN = 20
_COLUMNS = (
    "accepted",
    "done",
    "dead_lettered",
    "lost",
    "duplicated",
    "unexpected",
    "stuck",
    "duplicate_deliveries",
    "by_delivery_limit",
    "dead_beside_done",
    "removed",
)


@dataclass
class Report:
    """One run."""

    seed: int
    seconds: float
    uploads: Mapping[str, int]
    answers: Mapping[str, int]
    strikes: Sequence[str]
    accounts: Sequence[ChannelAccount] = ()
    #: Processes that ended in a way they must not, faults that could not be made, and the like.
    remarks: list[str] = field(default_factory=list)
    could_not_check: str = ""

    @property
    def holds(self) -> bool:
        """True when it was checked, and nothing was lost, doubled, stuck or unexpected."""
        return not self.could_not_check and bool(self.accounts) and all(account.holds for account in self.accounts)

    @property
    def exit_code(self) -> int:
        """0: the promise was kept; 1: it was broken; 3: it could not be checked."""
        if self.could_not_check:
            return 3
        return 0 if self.holds else 1

    def as_json(self) -> dict[str, Any]:
        """Give all of it."""
        return asdict(self) | {"holds": self.holds, "exit_code": self.exit_code}


def write_report(report: Report, path: Path) -> None:
    """Write the JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report.as_json(), indent=1))


def print_report(report: Report) -> None:
    """Print the table, and a sentence for each fault."""
    console = Console(width=150)
    doors = ", ".join(f"{count} {name}" for name, count in report.uploads.items())
    answers = ", ".join(f"{count} x {name}" for name, count in sorted(report.answers.items()))
    console.print(f"seed {report.seed}, {report.seconds:.0f} s; uploads: {doors}; answers: {answers}")
    if report.could_not_check:
        console.print(f"COULD NOT CHECK: {report.could_not_check}", style="bold red")
    if report.accounts:
        console.print(_table(report.accounts))
    faults = [sentence for account in report.accounts for sentence in account.faults]
    for sentence in faults[:_MOST_FAULTS_SHOWN]:
        console.print(f"  {sentence}", style="red", markup=False)
    if len(faults) > _MOST_FAULTS_SHOWN:
        console.print(f"  … and {len(faults) - _MOST_FAULTS_SHOWN} more")
    for remark in report.remarks:
        console.print(f"  note: {remark}", markup=False)
    verdict = "kept" if report.holds else "NOT CHECKED" if report.could_not_check else "BROKEN"
    console.print(f"the promise was {verdict} (seed {report.seed})", style="green" if report.holds else "bold red")


def _table(accounts: Sequence[ChannelAccount]) -> Table:
    table = Table("channel", *(name.replace("_", " ") for name in _COLUMNS))
    for account in accounts:
        values = [getattr(account, name) for name in _COLUMNS]
        table.add_row(account.channel, *map(str, values), style=None if account.holds else "red")
    return table
