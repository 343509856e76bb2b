"""Keeps one private broker for a test run: started once, ended when the run's process ends, however it ends.

`python broker_keeper.py FOLDER PID` starts the node in FOLDER, writes FOLDER/address.json (or FOLDER/error.txt),
waits for process PID to end (or for SIGTERM), kills the node and removes FOLDER.
"""

import json
import shutil
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

from local_fleet.broker import PrivateBroker
from local_fleet.errors import BrokerStartFailed, FleetError
from local_fleet.identity import ProcessIdentity

_FOR_EVER_S = 24 * 3600.0
_POLL_S = 0.05


def main(folder: Path, pid: int) -> int:
    run = ProcessIdentity.of(pid)
    broker = PrivateBroker(folder / "node", death_signal=signal.SIGKILL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        address = broker.start(wait=False)
        while not broker.is_ready():
            if not broker.is_running:
                raise BrokerStartFailed(broker.last_words())
            if run is None or not run.is_alive():
                return 0
            time.sleep(_POLL_S)
        (folder / "address.part").write_text(json.dumps(asdict(address)))
        (folder / "address.part").rename(folder / "address.json")
        run.wait(_FOR_EVER_S)
    except FleetError as error:
        (folder / "error.txt").write_text(str(error))
        return 1
    finally:
        broker.kill()
        shutil.rmtree(folder / "node", ignore_errors=True)
        if run is None or not run.is_alive():  # then nobody else removes the rest
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
