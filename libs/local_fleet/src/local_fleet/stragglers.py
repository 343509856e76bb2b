"""Descendants of a process, so that none of them outlives it."""

import signal
from collections.abc import Iterable

import psutil

from local_fleet.identity import ProcessIdentity


def descendants(pid: int) -> tuple[ProcessIdentity, ...]:
    """Identify the children of `pid` and theirs, as of now."""
    try:
        found = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return ()
    return tuple(identity for each in found if (identity := ProcessIdentity.of(each.pid)))


def kill_all(processes: Iterable[ProcessIdentity]) -> int:
    """Kill those that still run; gives how many there were."""
    return sum(each.send(signal.SIGKILL) for each in processes)
