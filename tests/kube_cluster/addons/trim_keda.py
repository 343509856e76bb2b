"""Copies KEDA's source with the triggers named here and no others: `trim_keda.py KEDA COPY`.

All of KEDA's triggers are one Go package, and each costs the client library of some service: compiling them all
takes four times as long. The code that is left is not changed.
"""

import re
import shutil
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


def copy(source: Path, target: Path) -> None:
    """Copy the module, whose files are read-only where Go keeps them."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)


if __name__ == "__main__":
    copy(Path(sys.argv[1]), Path(sys.argv[2]))
    trim(Path(sys.argv[2]))
