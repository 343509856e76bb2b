"""Memory of a process together with its children."""

import psutil


def memory_bytes(pid: int) -> int:
    """Memory of `pid` and its descendants in bytes; a page that several share counts once (proportional set size)."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    return sum(map(_share, family))


def _share(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:
        return _resident(process)
    except psutil.Error:  # it has ended
        return 0


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
