"""Finds the processes of a fleet, whether or not its files are still there."""

import os
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from local_fleet.broker_state import BrokerState
from local_fleet.identity import ProcessIdentity
from local_fleet.run_folder import NAME_MARK, RUN_MARK, RunFolder


class Rank(IntEnum):
    """The order in which processes are ended."""

    SUPERVISOR = 0
    WORKER = 1
    INGEST = 2
    BROKER = 3


@dataclass(frozen=True)
class Survivor:
    """A live process of a fleet."""

    name: str
    identity: ProcessIdentity

    @property
    def rank(self) -> Rank:
        """When its turn to end is."""
        return {"supervisor": Rank.SUPERVISOR, "ingest": Rank.INGEST, "broker": Rank.BROKER}.get(self.name, Rank.WORKER)


def find_survivors(folder: RunFolder) -> list[Survivor]:
    """Find every live process of the fleet in `folder`, in the order of ending.

    Three traces are followed: the marks in the processes' environments (they survive a deleted folder), the
    process files, and the broker's state file. This process and those it runs under are never among them.
    """
    found = {each.identity: each for each in _marked(folder)}
    for name, identity in folder.remembered().items():
        found.setdefault(identity, Survivor(name, identity))
    broker = BrokerState(folder.broker)
    for identity in filter(None, (broker.identity("node"), broker.identity("epmd"))):
        found.setdefault(identity, Survivor("broker", identity))
    own = _own_line()
    return sorted(
        (each for each in found.values() if each.identity.pid not in own),
        key=lambda each: (each.rank, each.name, each.identity.pid),
    )


def _marked(folder: RunFolder) -> list[Survivor]:
    survivors = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        identity = ProcessIdentity.of(int(entry.name))
        variables = _environment(entry)
        # Asked again after reading: the pid must not have changed hands in between.
        if identity and variables.get(RUN_MARK) == str(folder.path) and identity.is_alive():
            survivors.append(Survivor(variables.get(NAME_MARK, "process"), identity))
    return survivors


def _environment(entry: Path) -> dict[str, str]:
    try:
        raw = (entry / "environ").read_bytes()
    except OSError:  # ended, or another user's
        return {}
    pairs = (each.partition(b"=") for each in raw.split(b"\0"))
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def _own_line() -> set[int]:
    """Pids of this process and of all it runs under."""
    line, pid = set(), os.getpid()
    while pid > 0 and pid not in line:
        line.add(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
    return line
