"""A process of a scenario's own beside the fleet: bound to this process, marked as the fleet's."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from typing import Any

from local_fleet.lifeline import bound_command
from mediaflow_scenarios.fleet import ScenarioFleet

_STOP_LIMIT_S = 30.0


@dataclass
class Beside:
    """A running process and the log it writes, one JSON object a line."""

    process: subprocess.Popen[bytes]
    log: Path
    beginning: int

    def said(self, event: str, asset_id: str) -> bool:
        """Whether it has logged this event of this asset."""
        return any(line.get("event") == event and line.get("asset_id") == asset_id for line in self.lines())

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged so far."""
        with self.log.open("rb") as log:
            log.seek(self.beginning)
            return [json.loads(line) for line in log if line.startswith(b"{") and line.endswith(b"}\n")]

    def kill(self) -> None:
        """SIGKILL, as the kernel does when memory runs out."""
        self.process.kill()
        self.process.wait(_STOP_LIMIT_S)


@contextmanager
def beside(fleet: ScenarioFleet, name: str, *arguments: str, **variables: str) -> Iterator[Beside]:
    """Run `python -m arguments` with the fleet's broker and store until the block ends, then stop it in order."""
    log = fleet.folder.log_of(name)
    with log.open("ab") as output:
        beginning = output.tell()
        process = subprocess.Popen(
            bound_command([sys.executable, "-m", *arguments], SIGKILL),
            env=fleet.broker_environment() | fleet.folder.marks(name) | variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield Beside(process, log, beginning)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
