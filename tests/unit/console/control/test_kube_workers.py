"""A pod becomes a worker: its state, since when, and why not."""

import pytest

from console.control.kube_workers import read_worker

STARTED, READY = "2026-11-30T12:00:00Z", "2026-11-30T12:00:09Z"
ROLLED = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}


def pod(container=None, *, phase="Running", conditions=(), deleted=False, **status):
    metadata = {"name": "transcode-a"} | ({"deletionTimestamp": READY} if deleted else {})
    containers = [] if container is None else [{"name": "worker", "restartCount": 0} | container]
    return {
        "metadata": metadata,
        "spec": {"containers": [{"name": "worker"}]},
        "status": {"phase": phase, "containerStatuses": containers, "conditions": list(conditions)} | status,
    }


def condition(kind, status, **more):
    return {"type": kind, "status": status, "lastTransitionTime": READY} | more


RUNNING = {"state": {"running": {"startedAt": STARTED}}}
IS_READY = condition("Ready", "True")


def waiting(reason, message="", **more):
    return {"state": {"waiting": {"reason": reason, "message": message}}} | more


@pytest.mark.parametrize(
    ("read", "state", "reason"),
    [
        (pod(RUNNING, conditions=[IS_READY]), "ready", ""),
        (pod(RUNNING, conditions=[condition("Ready", "False")]), "starting", ""),
        (pod(RUNNING | {"lastState": ROLLED}, conditions=[IS_READY]), "ready", "OOMKilled (exit code 137)"),
        (pod(RUNNING, conditions=[IS_READY], deleted=True), "stopping", ""),
        (pod(waiting("ContainerCreating"), phase="Pending"), "starting", ""),
        (pod(phase="Pending"), "starting", ""),
        (pod(waiting("ErrImagePull", "denied"), phase="Pending"), "waiting", "ErrImagePull: denied"),
        (
            pod(waiting("CrashLoopBackOff", "back-off 5m0s", lastState=ROLLED)),
            "waiting",
            "CrashLoopBackOff: back-off 5m0s (before: OOMKilled (exit code 137))",
        ),
        (
            pod(waiting("PodInitializing"), phase="Pending", initContainerStatuses=[waiting("ImagePullBackOff")]),
            "waiting",
            "ImagePullBackOff",
        ),
        (
            pod(
                phase="Pending",
                conditions=[condition("PodScheduled", "False", reason="Unschedulable", message="0/3 nodes: no memory")],
            ),
            "waiting",
            "Unschedulable: 0/3 nodes: no memory",
        ),
        (pod(phase="Failed", reason="Evicted", message="disk pressure"), "failed", "Evicted: disk pressure"),
        (pod({"state": {"terminated": {"exitCode": 2, "reason": "Error"}}}, phase="Failed"), "failed", "exit code 2"),
        (pod({"state": {"terminated": {"exitCode": 3, "reason": "Error"}}}), "waiting", "exit code 3"),
    ],
)
def test_the_state_of_a_worker_and_its_reason(read, state, reason):
    worker = read_worker(read)
    assert (worker.state, worker.reason) == (state, reason)


def test_times_count_only_while_it_runs_and_restarts_are_added_up():
    worker = read_worker(pod(RUNNING | {"restartCount": 4}, conditions=[IS_READY]))
    assert (worker.ready_at - worker.started_at).total_seconds() == 9
    assert worker.restarts == 4
    worker = read_worker(pod(waiting("CrashLoopBackOff"), conditions=[IS_READY]))
    assert (worker.started_at, worker.ready_at) == (None, None)


@pytest.mark.parametrize(
    ("address", "ports", "url"),
    [
        (None, [], None),
        ("10.1.2.3", [], "http://10.1.2.3:8081/metrics"),
        ("10.1.2.3", [{"name": "health", "containerPort": 9000}], "http://10.1.2.3:9000/metrics"),
        ("fd00::1", [{"name": "metrics", "containerPort": 9100}], "http://[fd00::1]:9100/metrics"),
    ],
)
def test_metrics_are_at_the_pods_address(address, ports, url):
    read = pod(RUNNING, podIP=address)
    read["spec"]["containers"][0]["ports"] = ports
    assert read_worker(read).metrics_url == url
