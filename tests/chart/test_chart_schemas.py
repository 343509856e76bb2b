"""Every object that the chart renders is one that Kubernetes, version by version, and the operators know."""

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chart_combinations import combinations, everything
from kube_schemas import complaints, foreign_complaints, is_foreign, kubernetes_versions
from rendered_chart import CHART, KEDA, PROMETHEUS, Json, Rendering, named, the

VERSIONS = kubernetes_versions()


def test_there_are_schemas_of_every_version_that_the_chart_is_for() -> None:
    assert tuple(f"1.{minor}" for minor in range(29, 38)) == VERSIONS


@pytest.mark.parametrize("values", ["values.yaml", *sorted(file.name for file in CHART.glob("values-*.yaml"))])
def test_helm_has_nothing_to_say_against_the_chart(helm: Path, values: str) -> None:
    command = [helm, "lint", "--strict", "--quiet", str(CHART), "--values", str(CHART / values)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == ""


def _shape(value: Any) -> Any:
    """Give what a schema looks at: which fields there are, of which types."""
    if isinstance(value, dict):
        return {key: _shape(below) for key, below in sorted(value.items())}
    if isinstance(value, list):
        return sorted({json.dumps(_shape(below)) for below in value})
    return type(value).__name__


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_field(rendered: None, version: str) -> None:
    found, seen = [], set()
    for name, each in everything():
        # Between the oldest and the newest, objects of one shape are one.
        key = json.dumps([each["kind"], _shape(each)] if version not in (VERSIONS[0], VERSIONS[-1]) else each)
        if is_foreign(each) or key in seen:
            continue
        seen.add(key)
        found += [f"{name}: {each['kind']} {each['metadata']['name']}: {said}" for said in complaints(each, version)]

    assert seen
    assert not found, "\n".join(found[:20])


def test_the_operators_know_every_field(rendered: None) -> None:
    kinds, found = set(), []
    for name, each in everything():
        if is_foreign(each):
            kinds.add(each["kind"])
            found += [f"{name}: {each['kind']} {each['metadata']['name']}: {said}" for said in foreign_complaints(each)]

    assert kinds >= {"ScaledObject", "TriggerAuthentication", "RabbitmqCluster"}
    assert kinds >= {"ServiceMonitor", "PodMonitor", "PrometheusRule"}
    assert not found, "\n".join(found[:20])


#: What the newest and the oldest KEDA read of a trigger of the kind rabbitmq (pkg/scalers/rabbitmq_scaler.go).
RABBITMQ_TRIGGER = {
    *("activationValue", "excludeUnacknowledged", "host", "hostFromEnv", "mode", "operation", "pageSize", "protocol"),
    *("queueLength", "queueName", "timeout", "unsafeSsl", "useRegex", "value", "vhostName"),
}
RABBITMQ_LOGIN = {"host", "username", "password", "protocol", "vhostName", "tls", "ca", "cert", "key", "keyPassword"}


def test_keda_reads_everything_that_a_trigger_says(rendered: None) -> None:
    triggers = [
        trigger
        for _, each in everything()
        if each["kind"] == "ScaledObject"
        for trigger in each["spec"]["triggers"]
        if trigger["type"] == "rabbitmq"
    ]

    assert triggers
    for trigger in triggers:
        assert set(trigger["metadata"]) <= RABBITMQ_TRIGGER
        assert all(isinstance(value, str) for value in trigger["metadata"].values())
        assert trigger["metadata"]["protocol"] == "http", "amqp does not see what is being worked on"
    for _, each in everything():
        if each["kind"] == "TriggerAuthentication":
            assert {ref["parameter"] for ref in each["spec"]["secretTargetRef"]} <= RABBITMQ_LOGIN


@pytest.fixture(scope="module")
def whole() -> list[Json]:
    values = {"monitoring": {"enabled": True}, "rabbitmq": {"mode": "operator"}}
    return Rendering(values, apis=KEDA + PROMETHEUS).objects()


def _misspelt(path: str) -> Callable[[Json], None]:
    def plant(thing: Json) -> None:
        *way, last = path.split(".")
        for key in way:
            thing = thing[int(key)] if isinstance(thing, list) else thing[key]
        thing[f"{last}x"] = thing.pop(last)

    return plant


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("Deployment", "spec.template.spec.containers.0.securityContext.readOnlyRootFilesystem"),
        ("Deployment", "spec.template.spec.terminationGracePeriodSeconds"),
        ("Service", "spec.ports.0.targetPort"),
        ("CronJob", "spec.jobTemplate.spec.ttlSecondsAfterFinished"),
        ("NetworkPolicy", "spec.policyTypes"),
        ("Role", "rules.0.verbs"),
        ("ScaledObject", "spec.pollingInterval"),
        ("ScaledObject", "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds"),
        ("TriggerAuthentication", "spec.secretTargetRef.0.parameter"),
        ("RabbitmqCluster", "spec.terminationGracePeriodSeconds"),
        ("RabbitmqCluster", "spec.rabbitmq.additionalConfig"),
        ("ServiceMonitor", "spec.endpoints.0.port"),
        ("PodMonitor", "spec.podMetricsEndpoints.0.port"),
        ("PrometheusRule", "spec.groups.0.rules.0.expr"),
    ],
)
def test_a_misspelt_field_is_found(whole: list[Json], kind: str, path: str) -> None:
    thing = copy.deepcopy(named(whole, kind)[0])
    said = foreign_complaints if is_foreign(thing) else lambda each: complaints(each, VERSIONS[-1])
    assert said(thing) == []

    _misspelt(path)(thing)

    assert any(f"{path.rsplit('.', 1)[1]}x" in each for each in said(thing))


def test_a_number_where_text_is_due_is_found(whole: list[Json]) -> None:
    deployment = copy.deepcopy(the(whole, "Deployment", "-ingest"))
    deployment["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] = 8080
    scaled = copy.deepcopy(named(whole, "ScaledObject")[0])
    scaled["spec"]["triggers"][0]["metadata"]["value"] = 15

    assert all("8080" in said for said in complaints(deployment, "1.31")) and complaints(deployment, "1.31")
    assert foreign_complaints(scaled)


def test_a_kind_that_a_version_does_not_have_is_found() -> None:
    old = {"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": {"name": "a"}, "spec": {}}

    with pytest.raises(KeyError):
        complaints(old, VERSIONS[0])


def test_no_combination_is_missing() -> None:
    names = list(combinations())

    for broker in ("builtin", "operator", "external"):
        for store in ("builtin", "s3", "pvc"):
            assert sum(name.startswith(f"{broker} broker, {store} store") for name in names) == 4
