"""Busy workers' pods are marked on the API server, so that Kubernetes takes idle ones first."""

import pytest

from console.control.fleet_control import ControlUnavailable, WorkerReading
from console.control.kube_access import role_rules
from console.control.kubernetes_control import open_kubernetes_control
from console.control.settings import ControlSettings
from kube_cluster import RELEASE
from kube_objects import add_deployment, add_pod, running

COST = "controller.kubernetes.io/pod-deletion-cost"


@pytest.fixture
def release(cluster):
    for channel in ("transcode", "thumbnail"):
        add_deployment(cluster, channel)
        for name in ("a", "b"):
            add_pod(cluster, f"{channel}-{name}", "worker", channel, running())
    return cluster


def read(cluster, name):
    return cluster.ask("GET", cluster.path("", "pods", name))["metadata"]


def cost(cluster, name):
    return read(cluster, name).get("annotations", {}).get(COST)


def test_pods_cost_what_their_jobs_have_run_in_every_channel_and_nothing_when_idle(release, make_control):
    control = make_control()
    control.fleet()
    control.learn(
        {
            "transcode-a": WorkerReading(600.0),
            "transcode-b": WorkerReading(0.0),
            "thumbnail-a": WorkerReading(7.0),
        }
    )
    assert cost(release, "transcode-a") == "7"
    assert cost(release, "thumbnail-a") == "1"
    assert cost(release, "transcode-b") is None
    assert cost(release, "thumbnail-b") is None

    control.fleet()
    control.learn({"transcode-a": WorkerReading(0.0), "thumbnail-a": WorkerReading(10.0)})
    assert cost(release, "transcode-a") is None
    assert cost(release, "thumbnail-a") == "2"


def test_what_stays_the_same_is_not_written_again_not_even_by_the_next_console(release, make_control):
    for _ in range(2):
        control = make_control()
        for _ in range(2):
            control.fleet()
            control.learn({"transcode-a": WorkerReading(600.0), "transcode-b": WorkerReading(0.0)})
        versions = {name: read(release, name)["resourceVersion"] for name in ("transcode-a", "transcode-b")}
    control.fleet()
    control.learn({"transcode-a": WorkerReading(601.0), "transcode-b": WorkerReading(4.0)})
    assert {name: read(release, name)["resourceVersion"] for name in versions} == versions


def test_a_pod_that_went_away_meanwhile_is_no_error_and_the_others_are_marked(release, make_control):
    control = make_control()
    control.fleet()
    release.ask("DELETE", f"{release.path('', 'pods', 'transcode-a')}?gracePeriodSeconds=0")
    control.learn({"transcode-a": WorkerReading(60.0), "transcode-b": WorkerReading(60.0)})
    assert cost(release, "transcode-b") == "4"


def test_a_role_without_the_verb_is_told_and_views_go_on(release, make_control):
    less = [rule for rule in role_rules() if rule["resources"] != ["pods"]]
    release.allow([*less, {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    control = make_control()
    control.fleet()
    with pytest.raises(ControlUnavailable, match="Its Role needs the verb 'patch' on pods"):
        control.learn({"transcode-a": WorkerReading(60.0, 50_000_000)})
    workers = control.fleet().channels["transcode"].workers
    assert [worker.memory_bytes for worker in workers] == [50_000_000, None]


def test_switched_off_nothing_is_written_and_the_memory_is_still_shown(release, server, tmp_path):
    file = server.kubeconfig(tmp_path / "kubeconfig")
    control = open_kubernetes_control(ControlSettings(kube_config=file, kube_release=RELEASE, deletion_cost="off"))
    control.fleet()
    control.learn({"transcode-a": WorkerReading(60.0, 50_000_000)})
    assert cost(release, "transcode-a") is None
    assert control.fleet().channels["transcode"].workers[0].memory_bytes == 50_000_000
