"""Ends the fleets of a test run whose process ended before it could.

`python fleet_guard.py FOLDER PID` waits for process PID and then kills every process of a fleet under FOLDER.
"""

import os
import signal
import sys
from pathlib import Path

from local_fleet.identity import ProcessIdentity
from local_fleet.run_folder import RUN_MARK

_FOR_EVER_S = 24 * 3600.0


def main(folder: Path, pid: int) -> None:
    run = ProcessIdentity.of(pid)
    if run is not None:
        run.wait(_FOR_EVER_S)
    while left := processes_under(folder):
        for each in left:
            each.send(signal.SIGKILL)
            each.wait(5)


def processes_under(folder: Path) -> list[ProcessIdentity]:
    mark = f"{RUN_MARK}={folder}/".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        identity = ProcessIdentity.of(int(entry.name))
        try:
            marked = any(each.startswith(mark) for each in (entry / "environ").read_bytes().split(b"\0"))
        except OSError:
            continue
        if identity and marked and identity.is_alive():
            found.append(identity)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
