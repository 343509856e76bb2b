"""Lines of JSON that are only ever added to, by many processes, and survive the death of each."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class AppendLog:
    """Adds lines to a file. One write a line, so lines of several processes never mix."""

    def __init__(self, path: Path, *, durable: bool = False) -> None:
        """`durable`: a line is on the disk before `add` returns."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._durable = durable
        self._lock = threading.Lock()

    def add(self, **fields: Any) -> None:
        """Add one line."""
        line = json.dumps(fields, separators=(",", ":")).encode() + b"\n"
        if os.write(self._fd, line) != len(line):
            raise OSError("a line of the ledger was not written whole")
        if self._durable:
            with self._lock:
                os.fdatasync(self._fd)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Read what was written. Raises ValueError for a line that is none: a ledger that can't be read proves nothing."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield json.loads(line)
            except ValueError:
                raise ValueError(f"{path.name} line {number} can't be read") from None
