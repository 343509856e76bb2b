"""What a switch in the values, or a kind that the cluster has, brings and takes away."""

import json
from typing import Any

import pytest

from chart_combinations import BROKERS
from chart_objects import CHANNEL
from console.control import kube_names
from console.control.kube_access import role_rules
from rendered_chart import KEDA, PROMETHEUS, Json, Rendering, at, merged, named, the

SCALING = {"ScaledObject", "TriggerAuthentication"}
MONITORING = {"ServiceMonitor", "PodMonitor", "PrometheusRule"}


def kinds(values: Json, *apis: str) -> set[str]:
    return {each["kind"] for each in Rendering(values, apis=apis).objects()}


@pytest.mark.parametrize(
    ("wish", "apis", "there"),
    [("auto", KEDA, True), ("auto", (), False), (True, (), True), (False, KEDA, False)],
)
def test_keda_scales_where_it_is_and_where_it_is_asked_to(wish: Any, apis: tuple[str, ...], there: bool) -> None:
    assert bool(kinds(at("keda.enabled", wish), *apis) & SCALING) == there


def test_without_keda_the_deployments_say_the_bounds_to_people_and_console() -> None:
    for apis in ((), KEDA):
        for each in named(Rendering(apis=apis).objects(), "Deployment"):
            if channel := each["metadata"]["labels"].get(CHANNEL):
                notes = each["metadata"].get("annotations", {})
                bounds = (notes.get(kube_names.MINIMUM), notes.get(kube_names.MAXIMUM))
                expected = {"thumbnail": ("1", "16"), "transcode": ("1", "8"), "subtitle": ("1", "4")}[channel]
                assert bounds == (expected if not apis else (None, None))


def test_the_articles_bounds_are_in_the_simulated_profile() -> None:
    objects = Rendering({"profile": "simulated"}, apis=KEDA).objects()
    found = {
        each["metadata"]["labels"][CHANNEL]: (each["spec"]["minReplicaCount"], each["spec"]["maxReplicaCount"])
        for each in named(objects, "ScaledObject")
    }
    values = {each["spec"]["triggers"][0]["metadata"]["value"] for each in named(objects, "ScaledObject")}

    assert found == {"thumbnail": (4, 16), "transcode": (2, 8), "subtitle": (2, 4)}
    assert values == {"15"}


def test_scaling_up_is_at_once_and_down_after_calm() -> None:
    scaled = the(Rendering(apis=KEDA).objects(), "ScaledObject", "-transcode")["spec"]
    behavior = scaled["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]

    assert scaled["pollingInterval"] == 5
    assert behavior["scaleUp"]["stabilizationWindowSeconds"] == 0
    assert behavior["scaleDown"]["stabilizationWindowSeconds"] >= 60
    assert scaled["fallback"]["failureThreshold"] >= 1
    assert scaled["advanced"]["restoreToOriginalReplicaCount"] is False


def test_monitoring_is_there_when_it_is_asked_for_with_the_labels_by_which_it_is_found() -> None:
    assert not kinds({}, *PROMETHEUS) & MONITORING
    values = {"monitoring": {"enabled": True, "labels": {"release": "ours"}}}
    objects = Rendering(values, apis=PROMETHEUS).objects()
    found = [each for each in objects if each["kind"] in MONITORING]

    assert {each["kind"] for each in found} >= {"ServiceMonitor", "PrometheusRule"}
    assert all(each["metadata"]["labels"]["release"] == "ours" for each in found)


@pytest.mark.parametrize("broker", BROKERS)
def test_a_broker_is_brought_only_where_it_is_asked_for(broker: str) -> None:
    objects = Rendering(BROKERS[broker]).objects()

    assert bool(named(objects, "StatefulSet")) == (broker == "builtin")
    assert bool(named(objects, "RabbitmqCluster")) == (broker == "operator")


@pytest.mark.parametrize("broker", BROKERS)
def test_queues_are_declared_when_the_broker_is_there_and_before_an_upgrade(broker: str) -> None:
    """At an installation there is no broker to ask before, unless it is somebody else's."""
    (job,) = named(Rendering(BROKERS[broker]).objects(), "Job", "-topology")
    hooks = job["metadata"]["annotations"]["helm.sh/hook"].split(",")

    assert set(hooks) == {"pre-install" if broker == "external" else "post-install", "pre-upgrade"}
    assert "before-hook-creation" in job["metadata"]["annotations"]["helm.sh/hook-delete-policy"]
    assert job["spec"]["template"]["spec"]["restartPolicy"] in ("Never", "OnFailure")
    assert job["spec"]["backoffLimit"] >= 0


def test_the_console_may_do_what_it_does_and_no_more() -> None:
    role = the(Rendering().objects(), "Role", "-console")

    def flat(rules: list[Any]) -> set[tuple[str, str, str]]:
        return {
            (group, resource, verb)
            for rule in rules
            for group in rule["apiGroups"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
        }

    assert flat(role["rules"]) == flat(role_rules())
    assert not any("*" in word for rule in flat(role["rules"]) for word in rule)


def test_nothing_is_reachable_from_outside_unless_it_is_asked_for() -> None:
    objects = Rendering().objects()

    assert not named(objects, "Ingress")
    assert {each["spec"].get("type", "ClusterIP") for each in named(objects, "Service")} == {"ClusterIP"}


@pytest.mark.parametrize("service", ["ingest", "console"])
@pytest.mark.parametrize(("kind", "there"), [("NodePort", True), ("LoadBalancer", True), ("ClusterIP", False)])
def test_a_port_of_every_node_is_asked_for_only_where_a_service_has_one(service: str, kind: str, there: bool) -> None:
    """Kubernetes refuses it on a ClusterIP Service, as whoever takes values-kind.yaml without node ports would see."""
    values = at(f"{service}.service", {"type": kind, "nodePort": 30123})
    ports = the(Rendering(values).objects(), "Service", f"-{service}")["spec"]["ports"]
    assert [each.get("nodePort") for each in ports] == [30123 if there else None]


@pytest.mark.parametrize("service", ["ingest", "console"])
def test_an_ingress_has_tls_unless_it_is_told_not_to(service: str) -> None:
    values = at(f"{service}.ingress", {"enabled": True, "host": "media.example.com", "className": "nginx"})
    (ingress,) = named(Rendering(values).objects(), "Ingress")
    assert ingress["spec"]["tls"] == [{"hosts": ["media.example.com"], "secretName": f"films-mediaflow-{service}-tls"}]

    (ingress,) = named(Rendering(merged(values, at(f"{service}.ingress.tls.enabled", False))).objects(), "Ingress")
    assert "tls" not in ingress["spec"]


def test_the_replayer_never_runs_by_itself() -> None:
    job = the(Rendering().objects(), "CronJob", "-replayer")["spec"]

    assert job["suspend"] is True
    assert job["jobTemplate"]["spec"]["backoffLimit"] == 0


def test_a_cluster_that_is_too_old_is_refused_by_its_version() -> None:
    said = Rendering(kubernetes="1.28.15").refusal()

    assert "1.28.15" in said
    assert "1.29" in said


def test_a_rendering_differs_from_the_next_one_in_generated_passwords_alone() -> None:
    """A pod whose template has one of them in it would be started anew by every upgrade."""
    one, other = (Rendering(apis=KEDA, kubernetes=version).objects() for version in ("1.31.0", "1.31.1"))
    assert [each for each in one if each["kind"] == "Secret"] != [each for each in other if each["kind"] == "Secret"]

    for before, after in zip(one, other, strict=True):
        if before["kind"] != "Secret":
            assert json.dumps(before) == json.dumps(after), before["metadata"]["name"]


def test_a_changed_setting_of_the_broker_rolls_it_out() -> None:
    before, after = (
        the(Rendering(values).objects(), "StatefulSet", "-rabbitmq")["spec"]["template"]["metadata"]
        for values in ({}, at("rabbitmq.diskFreeLimit", "2GB"))
    )
    assert before != after
