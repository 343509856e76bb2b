"""How far a replay is: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from mq_common.replay_tally import Tally

#: Seconds between two looks of the bar, and between two lines.
_BAR_S, _LINE_S = 0.1, 5.0


class Progress:
    """Shows a tally while it changes, on standard error. ``quiet``: shows nothing."""

    def __init__(self, channel: str, *, quiet: bool = False) -> None:
        self._channel, self._quiet = channel, quiet
        self._began = self._shown = time.monotonic()
        console = Console(stderr=True, highlight=False)
        self._bar: Bar | None = None
        if console.is_terminal and not quiet:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, TextColumn("{task.fields[moved]} moved"), console=console, transient=True)
            self._task = self._bar.add_task(channel, total=None, moved=0)

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    def show(self, tally: Tally) -> None:
        """Show how far it is, if that is due; cheap otherwise."""
        now = time.monotonic()
        if self._quiet or now - self._shown < (_BAR_S if self._bar else _LINE_S):
            return
        self._shown = now
        if self._bar is not None:
            self._bar.update(self._task, total=tally.depth, completed=tally.seen, moved=tally.moved)
        else:
            line = f"{self._channel}: looked at {tally.seen} of {tally.depth}, moved {tally.moved}\n"
            sys.stderr.write(line)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
