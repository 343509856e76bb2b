"""Removes from a copy of KEDA's source all triggers but those named here: `trim_keda.py COPY`.

All of KEDA's triggers are one Go package, and each costs the client library of some service: compiling them all
takes four times as long. The code that is left is not changed.
"""

import re
import sys
from pathlib import Path

KEPT = ("cpu", "cron", "memory", "rabbitmq")
#: The files of pkg/scalers that hold them and what they share.
FILES = ("cpu_memory_scaler.go", "cron_scaler.go", "rabbitmq_scaler.go", "scaler.go")

_CASE = re.compile(r'\tcase "(?P<name>[a-z-]+)":\n(?:\t\t.*\n)+')


def trim(keda: Path) -> None:
    """Remove the other triggers' files, and their cases in the switch from a trigger's name to its code."""
    builder = keda / "pkg/scaling/scalers_builder.go"
    builder.write_text(_CASE.sub(lambda case: case[0] if case["name"] in KEPT else "", builder.read_text()))
    for path in (keda / "pkg/scalers").glob("*.go"):
        if path.name not in FILES:
            path.unlink()


if __name__ == "__main__":
    trim(Path(sys.argv[1]))
