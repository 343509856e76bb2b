"""What is in dead-letter queues, as a table or as JSON."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from mq_common.dead_letter_groups import Group
from replayer.quantities import say_age

#: Width of the table when it goes into a file or a pipe.
_PIPE_WIDTH = 180


def groups_as_json(groups: Iterable[Group]) -> list[dict[str, Any]]:
    """Give the groups for programs."""
    return [
        {
            "channel": group.channel,
            "reason": group.reason,
            "errorClass": group.error_class,
            "count": group.count,
            "oldest": _rfc3339(group.oldest),
            "newest": _rfc3339(group.newest),
            "replays": {"fewest": group.fewest, "most": group.most},
            "example": {"assetId": group.example_asset, "message": group.example_message},
        }
        for group in groups
    ]


def _rfc3339(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def print_groups(groups: Iterable[Group]) -> None:
    """Print the groups as a table."""
    rows = list(groups)
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(width=_PIPE_WIDTH, highlight=False, markup=False, emoji=False)
    console.print(_table(rows) if rows else "no dead letters")


def _table(groups: list[Group]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("channel", "reason", "error"):
        table.add_column(column, no_wrap=True)
    for column in ("messages", "oldest", "replays"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("for example", overflow="fold")
    now = datetime.now(UTC)
    for group in groups:
        age = (now - group.oldest).total_seconds() if group.oldest else None
        replays = str(group.most) if group.fewest == group.most else f"{group.fewest}–{group.most}"
        example = ": ".join(filter(None, (group.example_asset, group.example_message)))
        table.add_row(
            group.channel,
            group.reason,
            group.error_class or "-",
            str(group.count),
            say_age(age),
            replays,
            example or "-",
        )
    return table
