"""Reads the logs of the fleet's processes, all together and as they grow."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from local_fleet.errors import FleetError
from local_fleet.run_folder import RunFolder

_POLL_S = 0.2

Say = Callable[[str, str], None]


def find_logs(folder: RunFolder, name: str | None) -> dict[str, Path]:
    """Find log files by process name; `name` may be a process, a channel (all its workers), or None for all.

    Raises FleetError that lists the names there are.
    """
    logs = {file.stem: file for file in sorted(folder.logs.glob("*.log"))}
    node = folder.broker / "log" / "broker.log"
    if node.exists():
        logs["broker"] = node
    if name is None:
        return logs
    chosen = {key: file for key, file in logs.items() if key == name or key.rpartition("-")[0] == name}
    if not chosen:
        raise FleetError(f"no log of {name!r}; there are: {', '.join(logs) or 'none'}")
    return chosen


def print_logs(logs: Mapping[str, Path], say: Say, *, lines: int, follow: bool) -> None:
    """Say the last `lines` lines of each log as (name, line), and then, with `follow`, every new one."""
    positions = {}
    for name, file in logs.items():
        with file.open("rb") as log:
            for line in deque(log, maxlen=lines):
                say(name, _text(line))
            positions[name] = log.tell()
    while follow:
        time.sleep(_POLL_S)
        for name, file in logs.items():
            positions[name] = _print_new(name, file, positions[name], say)


def _print_new(name: str, file: Path, position: int, say: Say) -> int:
    try:
        with file.open("rb") as log:
            if log.seek(0, 2) < position:  # a new file under the old name
                position = 0
            log.seek(position)
            for line in log:
                if not line.endswith(b"\n"):
                    break
                position += len(line)
                say(name, _text(line))
    except FileNotFoundError:
        return 0
    return position


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\n")
