"""How many processors this process may use, which is often fewer than the machine has."""

import math
import os
from pathlib import Path

CGROUP_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def available_cpus(cgroup_limit: Path = CGROUP_LIMIT) -> int:
    """Give the processors usable here: the scheduler's mask, cut by a container's quota (cgroup v2)."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = cgroup_limit.read_text().split()
        limit = math.ceil(int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):  # no cgroup v2 here, or "max": no quota
        return usable
    return max(1, min(usable, limit))


def cpus_per_job(concurrency: int) -> int:
    """Give the processors of one job when `concurrency` of them may run at once; at least one."""
    return max(1, available_cpus() // concurrency)
