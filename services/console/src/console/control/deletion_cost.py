"""What it would cost to delete a worker's pod: the longer its oldest job has run, the more. Pure.

Costs climb in steps that double, so that a job of hours changes its pod's cost a dozen times, and quick jobs never.
"""

import math
from collections.abc import Mapping
from typing import Any

from console.control.fleet_control import WorkerReading
from console.control.kube_names import DELETION_COST

#: Seconds that a job has run before its worker counts as busy. What is younger is soon done, or soon done again.
_LEAST_S = 5.0

Json = Mapping[str, Any]


def deletion_cost(oldest_job_s: float) -> int:
    """Give the cost for a worker whose oldest job has run so long: 5 s: 1, 10 s: 2, 20 s: 3 … 4 hours: 12; else 0."""
    return 0 if oldest_job_s < _LEAST_S else 1 + math.floor(math.log2(oldest_job_s / _LEAST_S))


def cost_changes(pods: Mapping[str, Json], readings: Mapping[str, WorkerReading]) -> dict[str, int]:
    """Give the new cost of every pod, by name, whose annotation says another one.

    Pods whose workers did not tell keep theirs; those that are being deleted are past it.
    """
    changes = {}
    for name, reading in readings.items():
        pod = pods.get(name)
        if pod is None or reading.oldest_job_s is None or pod["metadata"].get("deletionTimestamp"):
            continue
        cost = deletion_cost(reading.oldest_job_s)
        if str(cost) != (pod["metadata"].get("annotations") or {}).get(DELETION_COST, "0"):
            changes[name] = cost
    return changes
