"""Ends a fleet, whatever state it is in."""

import contextlib
import signal
import time
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from local_fleet.control import ControlClient
from local_fleet.docker_broker import DockerBroker
from local_fleet.errors import FleetNotUp
from local_fleet.identity import ProcessIdentity
from local_fleet.member_state import Ending
from local_fleet.run_folder import RunFolder
from local_fleet.survivors import Rank, Survivor, find_survivors

#: The longest silence of a supervisor that is ending its processes one after the other, in seconds.
_STOP_PATIENCE_S = 90.0

#: What processes get to end without a supervisor, by rank, in seconds.
_GRACE_S = {Rank.SUPERVISOR: 60.0, Rank.WORKER: 25.0, Rank.INGEST: 15.0, Rank.BROKER: 20.0}

#: Rounds of looking for survivors: a supervisor that dies late may have started one more process.
_ROUNDS = 5

_POLL_S = 0.05

Report = Callable[[str, str], None]


def take_down(folder: RunFolder, report: Report) -> int:
    """End everything of the fleet in `folder`: workers, then ingest, then the broker.

    `report` hears the name of each ended process and how it ended. Gives how many there were.
    """
    ended = _ask_supervisor(folder, report)
    for _ in range(_ROUNDS):
        survivors = find_survivors(folder)
        if not survivors:
            break
        ended += _end_in_order(survivors, report)
    if DockerBroker(folder.broker, "").remove():
        report("broker", "container removed")
        ended += 1
    _remove_stale_files(folder)
    return ended


def _ask_supervisor(folder: RunFolder, report: Report) -> int:
    """Let the supervisor end its fleet, if it answers."""
    supervisors = [each.identity for each in find_survivors(folder) if each.rank is Rank.SUPERVISOR]
    if any(map(_is_stopped, supervisors)) or not ControlClient(folder.socket).is_up():
        return 0
    ended = 0
    with contextlib.suppress(FleetNotUp):
        for answer in ControlClient(folder.socket).stream("stop", patience_s=_STOP_PATIENCE_S):
            report(answer["name"], answer["ending"])
            ended += answer["ending"] != Ending.NOT_RUNNING
    for supervisor in supervisors:
        supervisor.wait(5.0)
    return ended


def _end_in_order(survivors: Iterable[Survivor], report: Report) -> int:
    ended = 0
    for rank, group in groupby(survivors, key=lambda each: each.rank):
        processes = [each for each in group if each.identity.is_alive()]
        killed = _end_together([each.identity for each in processes], _GRACE_S[rank])
        for name in dict.fromkeys(each.name for each in processes):
            forced = any(each.identity in killed for each in processes if each.name == name)
            report(name, str(Ending.KILLED if forced else Ending.STOPPED))
            ended += 1
    return ended


def _end_together(processes: list[ProcessIdentity], grace_s: float) -> set[ProcessIdentity]:
    """Ask all to end, kill those that still run after `grace_s` seconds; gives the killed."""
    frozen = {each for each in processes if _is_stopped(each)}
    for each in processes:
        each.send(signal.SIGKILL if each in frozen else signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while any(each.is_alive() for each in processes) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    late = {each for each in processes if each.send(signal.SIGKILL)}
    for each in processes:
        each.wait(5.0)
    return frozen | late


def _is_stopped(process: ProcessIdentity) -> bool:
    """Whether the process is frozen (SIGSTOP): it would never hear a polite signal."""
    try:
        state = Path(f"/proc/{process.pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in "Tt"


def _remove_stale_files(folder: RunFolder) -> None:
    folder.socket.unlink(missing_ok=True)
    for file in folder.processes.glob("*.json"):
        file.unlink(missing_ok=True)
