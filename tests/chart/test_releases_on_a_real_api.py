"""Releases on a real API server (`make test-kube-api`): what an upgrade keeps, and what the server says to each object.

There are no controllers and no nodes behind it: objects are there, and nothing runs.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from chart_combinations import combinations, everything
from chart_objects import CHANNEL
from helm_releases import Releases, StrictServer, install_operators
from kube_cluster import KubeCluster
from kube_real import program, real_cluster
from rendered_chart import Json, Rendering, at, merged, the

EVERYTHING: Json = {"monitoring": {"enabled": True}, "keda": {"enabled": True}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeCluster]:
    apiserver = program()
    assert apiserver, "KUBE_APISERVER names no server"
    with real_cluster(apiserver, tmp_path_factory.mktemp("kube")) as cluster:
        install_operators(cluster)
        yield cluster


@pytest.fixture
def cluster(server: KubeCluster) -> KubeCluster:
    """A namespace of the test's own, in which pods have to be restricted."""
    server.begin()
    labels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")}
    server.merge(f"/api/v1/namespaces/{server.namespace}", {"metadata": {"labels": labels}})
    return server


@pytest.fixture
def releases(cluster: KubeCluster, tmp_path: Any) -> Releases:
    return Releases(cluster, tmp_path)


def secrets(cluster: KubeCluster) -> dict[str, Any]:
    """Give what is in the chart's own Secrets, by name."""
    found = cluster.ask("GET", cluster.path("", "secrets"))["items"]
    return {each["metadata"]["name"]: each["data"] for each in found if not each["type"].startswith("helm.sh")}


def names(cluster: KubeCluster, group: str, resource: str) -> set[str]:
    return {each["metadata"]["name"] for each in cluster.ask("GET", cluster.path(group, resource))["items"]}


def test_the_server_takes_every_object_of_every_combination_and_warns_of_nothing(cluster: KubeCluster) -> None:
    strict = StrictServer(cluster)
    found = []
    for name, each in everything():
        found += [f"{name}: {each['kind']} {each['metadata']['name']}: {said}" for said in strict.complaints(each)]

    assert len(everything()) > 300
    assert not found, "\n".join(found[:20])


def test_the_server_says_what_is_wrong(cluster: KubeCluster) -> None:
    strict = StrictServer(cluster)
    deployment = copy.deepcopy(the(Rendering().objects(), "Deployment", "-ingest"))
    deployment["spec"]["template"]["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    (said,) = strict.complaints(deployment)
    assert "allowPrivilegeEscalation != false" in said

    deployment = copy.deepcopy(the(Rendering().objects(), "Deployment", "-ingest"))
    deployment["spec"]["template"]["spec"]["graceSeconds"] = 1
    assert "unknown field" in strict.complaints(deployment)[0]


def test_generated_passwords_survive_upgrades_and_rollbacks(cluster: KubeCluster, releases: Releases) -> None:
    releases.install(EVERYTHING)
    before = secrets(cluster)
    assert len(before) >= 3
    assert all(value for each in before.values() for value in each.values())

    releases.upgrade(merged(EVERYTHING, at("image.tag", "0.2.0")))
    assert secrets(cluster) == before
    releases.rollback(1)
    assert secrets(cluster) == before


def test_a_password_of_the_users_replaces_the_generated_one_and_keeps_the_rest(
    cluster: KubeCluster, releases: Releases
) -> None:
    releases.install({})
    before = secrets(cluster)["films-mediaflow-console"]

    releases.upgrade(at("console.password", "a-password-of-ours"))

    after = secrets(cluster)["films-mediaflow-console"]
    assert after["password"] != before["password"]
    assert after["secret-key"] == before["secret-key"]


def _deployment(cluster: KubeCluster, name: str) -> str:
    return cluster.path("apps", "deployments", f"films-mediaflow-{name}")


def test_the_number_of_workers_is_nobodys_but_the_autoscalers_and_the_operators(
    cluster: KubeCluster, releases: Releases
) -> None:
    releases.install(EVERYTHING)
    for name, replicas in {"transcode": 5, "subtitle": 0, "ingest": 6}.items():
        scale = {"spec": {"replicas": replicas}}
        cluster.ask("PATCH", f"{_deployment(cluster, name)}/scale", scale, "application/merge-patch+json")

    releases.upgrade(merged(EVERYTHING, at("image.tag", "0.2.0")))

    def wanted() -> dict[str, int]:
        return {
            name: cluster.ask("GET", _deployment(cluster, name))["spec"]["replicas"]
            for name in ("transcode", "subtitle", "ingest")
        }

    assert wanted() == {"transcode": 5, "subtitle": 0, "ingest": 6}
    image = cluster.ask("GET", _deployment(cluster, "transcode"))["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image.endswith(":0.2.0")
    releases.rollback(1)
    assert wanted() == {"transcode": 5, "subtitle": 0, "ingest": 6}


def test_a_pause_survives_upgrades_and_rollbacks(cluster: KubeCluster, releases: Releases) -> None:
    releases.install(EVERYTHING)
    path = cluster.path("keda.sh", "scaledobjects", "films-mediaflow-transcode")
    paused = {"autoscaling.keda.sh/paused-replicas": "0", "mediaflow.io/held-before-pause": "3"}
    cluster.merge(path, {"metadata": {"annotations": paused}})

    releases.upgrade(merged(EVERYTHING, at("keda.pollingInterval", 10)))
    found = cluster.ask("GET", path)
    assert found["spec"]["pollingInterval"] == 10
    assert paused.items() <= found["metadata"]["annotations"].items()

    releases.rollback(1)
    found = cluster.ask("GET", path)
    assert found["spec"]["pollingInterval"] == 5
    assert paused.items() <= found["metadata"]["annotations"].items()


def test_a_channel_that_is_taken_out_goes_and_one_that_is_put_in_comes(
    cluster: KubeCluster, releases: Releases
) -> None:
    releases.install(EVERYTHING)
    releases.upgrade(merged(EVERYTHING, {"channels": {"subtitle": None}}))
    channels = {
        each["metadata"]["labels"].get(CHANNEL)
        for each in cluster.ask("GET", cluster.path("keda.sh", "scaledobjects"))["items"]
    }
    assert channels == {"thumbnail", "transcode"}
    assert "films-mediaflow-subtitle" not in names(cluster, "apps", "deployments")


def test_uninstalling_leaves_what_people_would_miss_and_installing_again_finds_it(
    cluster: KubeCluster, releases: Releases
) -> None:
    releases.install(EVERYTHING)
    before = secrets(cluster)

    said = releases.uninstall()

    kept = secrets(cluster)
    assert kept == {name: before[name] for name in ("films-mediaflow-rabbitmq", "films-mediaflow-store")}
    assert names(cluster, "", "persistentvolumeclaims") == {"films-mediaflow-store"}
    assert all(name in said for name in kept)
    for group, resource in (
        *(("apps", "deployments"), ("apps", "statefulsets"), ("batch", "cronjobs"), ("batch", "jobs")),
        *(("", "services"), ("", "configmaps"), ("", "serviceaccounts"), ("policy", "poddisruptionbudgets")),
        *(("networking.k8s.io", "networkpolicies"), ("rbac.authorization.k8s.io", "roles")),
        ("keda.sh", "scaledobjects"),
    ):
        assert not {name for name in names(cluster, group, resource) if name.startswith("films")}, resource

    releases.install(EVERYTHING)
    assert kept.items() <= secrets(cluster).items()


def test_two_releases_live_side_by_side(cluster: KubeCluster, releases: Releases) -> None:
    releases.install(EVERYTHING)
    releases.install(EVERYTHING, "series")

    assert names(cluster, "apps", "deployments") >= {"films-mediaflow-transcode", "series-mediaflow-transcode"}
    releases.uninstall("series")
    assert "films-mediaflow-transcode" in names(cluster, "apps", "deployments")


@pytest.mark.parametrize("change", ["operator broker", "external broker"])
def test_every_way_to_run_broker_and_store_can_be_installed(
    cluster: KubeCluster, releases: Releases, change: str
) -> None:
    chosen = [each for name, each in combinations().items() if name.startswith(change) and "KEDA, monitoring" in name]
    assert len(chosen) == 3
    for number, rendering in enumerate(chosen):
        release = f"films-{number}"
        releases.install(dict(rendering.values), release)
        releases.upgrade(dict(rendering.values), release)
        releases.uninstall(release)
