"""Memory of a process together with its children."""

import psutil


def resident_bytes(pid: int) -> int:
    """Resident memory of `pid` and its descendants in bytes; shared pages count once for each of them."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for each in family:
        try:
            total += each.memory_info().rss
        except psutil.Error:
            continue
    return total
