"""Runs one child program within bounds."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a child cost. Times in seconds; `stdout` is empty when its lines went to `on_line`."""

    wall_s: float
    user_s: float
    system_s: float
    max_rss_bytes: int
    stderr_tail: str
    stdout: bytes = b""


def run_child(
    arguments: Sequence[str],
    *,
    cwd: Path,
    time_limit_s: float,
    memory_limit_mb: int | None,
    cancelled: threading.Event | None = None,
    on_line: Callable[[str], None] | None = None,
    env: Mapping[str, str] | None = None,
) -> RunReport:
    """Run a program to its end: bounded in time and memory, and never outliving this process."""
    raise NotImplementedError
