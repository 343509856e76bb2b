"""How far a replay is, for programs: JSON lines on standard output while it runs, the last one with the summary."""

import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any, Literal

from mq_common.replay_tally import Tally

#: Seconds between two lines.
_LINE_S = 0.5

#: waiting: for the broker, or for another walk through the queue. stopping: asked to end, and doing so.
State = Literal["waiting", "running", "stopping", "done", "stopped", "failed"]


def progress_line(
    state: State, tally: Tally, message: str = "", *, summary: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Give one line. ``left``: dead letters of the start that are still in the queue; None before they are counted.

    ``message``: what it waits for or what went wrong, for people. ``summary``: on the last line alone. Pure.
    """
    counted = tally.rounds > 0
    line: dict[str, Any] = {
        "state": state,
        "seen": tally.seen,
        "moved": tally.moved,
        "left": tally.depth - tally.moved if counted else None,
        "total": tally.depth if counted else None,
        "message": message,
    }
    return line if summary is None else line | {"summary": summary}


class ProgressLines:
    """Writes lines while a tally changes, not more often than twice a second.

    A reader that went away stops nothing: messages are on their way.
    """

    def __init__(self) -> None:
        self._is_stopping = False
        self._written_at = 0.0

    def stop(self) -> None:
        """Note that the run was asked to end. Only sets a flag: it is called from signal handlers."""
        self._is_stopping = True

    def waiting(self, tally: Tally) -> None:
        """Say that it has begun and is not at the queue yet."""
        self._write(progress_line("waiting", tally, "waiting for the broker, or for another look or replay to end"))

    def show(self, tally: Tally) -> None:
        """Say how far it is, if that is due; cheap otherwise."""
        now = time.monotonic()
        if now - self._written_at >= _LINE_S:
            self._written_at = now
            self._write(progress_line("stopping" if self._is_stopping else "running", tally))

    def ended(self, tally: Tally, summary: Mapping[str, Any], *, trouble: str | None) -> None:
        """Say how it ended. ``trouble``: why it did not do all it was asked for."""
        state: State = "failed" if trouble else "stopped" if self._is_stopping else "done"
        self._write(progress_line(state, tally, trouble or "", summary=summary))

    @staticmethod
    def _write(line: Mapping[str, Any]) -> None:
        try:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
