"""What a scenario prints: the article's tables with this run's numbers."""

import sys
from collections.abc import Sequence
from typing import TextIO

_GAP = "  "


class Page:
    """Writes line by line, so that a table can grow while somebody watches."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout

    def say(self, text: str = "") -> None:
        """Write one line, or several."""
        print(text, file=self._out, flush=True)

    def title(self, text: str) -> None:
        """Begin a scenario."""
        self.say(f"\n{text}\n{'=' * len(text)}")

    def command(self, text: str) -> None:
        """Show the command that does the same by hand."""
        self.say(f"\n$ {text}")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Write a table at once."""
        cells = [[str(each) for each in row] for row in rows]
        widths = [max(len(line[column]) for line in [list(head), *cells]) for column in range(len(head))]
        for line in [list(head), *cells]:
            self.say(_row(line, widths))

    def growing_table(self, head: Sequence[str]) -> "GrowingTable":
        """Begin a table whose rows come one by one."""
        return GrowingTable(self, head)


class GrowingTable:
    """A table whose columns are as wide as their heads."""

    def __init__(self, page: Page, head: Sequence[str]) -> None:
        self._page = page
        self._widths = [len(each) for each in head]
        page.say(_row(head, self._widths))

    def add(self, *cells: object) -> None:
        """Write one row."""
        self._page.say(_row([str(each) for each in cells], self._widths))


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
