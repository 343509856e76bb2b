"""What a pod's deletion would cost, and when that is written."""

import pytest

from console.control.deletion_cost import cost_changes, deletion_cost
from console.control.fleet_control import WorkerReading

COST = "controller.kubernetes.io/pod-deletion-cost"


def pod(cost=None, **metadata):
    notes = {} if cost is None else {"annotations": {COST: cost}}
    return {"metadata": {"name": "a"} | notes | metadata}


@pytest.mark.parametrize(
    ("oldest_job_s", "cost"),
    [(0, 0), (0.03, 0), (4.99, 0), (5, 1), (9.9, 1), (10, 2), (20, 3), (60, 4), (600, 7), (3600, 10), (14_400, 12)],
)
def test_the_longer_a_job_has_run_the_more_its_pod_costs(oldest_job_s, cost):
    assert deletion_cost(oldest_job_s) == cost


def test_a_job_of_four_hours_changes_its_pod_a_dozen_times():
    costs = [deletion_cost(5.0 * look) for look in range(14_400 // 5)]
    assert costs == sorted(costs)
    assert set(costs) == set(range(13))


@pytest.mark.parametrize(
    ("read", "oldest_job_s", "change"),
    [
        (pod(), 0.0, None),
        (pod(), 2.0, None),
        (pod(), 60.0, 4),
        (pod("4"), 60.0, None),
        (pod("4"), 90.0, 5),
        (pod("4"), 0.0, 0),
        (pod("0"), 0.0, None),
        (pod("what?"), 0.0, 0),
        (pod("4"), None, None),
        (pod(deletionTimestamp="2026-12-01T00:00:00Z"), 60.0, None),
        (pod(annotations=None), 60.0, 4),
    ],
    ids=[
        "idle from the start",
        "a quick job",
        "busy",
        "marked already",
        "busy for longer",
        "idle again",
        "marked idle already",
        "marked by somebody else",
        "did not tell",
        "being deleted",
        "no annotations",
    ],
)
def test_only_what_changes_is_written(read, oldest_job_s, change):
    changes = cost_changes({"a": read}, {"a": WorkerReading(oldest_job_s)})
    assert changes == ({} if change is None else {"a": change})


def test_a_worker_whose_pod_is_gone_is_left_out():
    assert cost_changes({}, {"a": WorkerReading(60.0)}) == {}
