"""What the chart's objects speak of is there: selectors choose, references are met, ports have names."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from chart_combinations import BARE, combinations
from chart_objects import matches, pod_templates
from chart_references import Known, unmet_references, unmet_selectors
from rendered_chart import KEDA, PROMETHEUS, Json, Rendering, merged, named, the

pytestmark = pytest.mark.usefixtures("rendered")

#: What the combinations say that the user has, with the keys that the values' comments promise to ask for.
USERS: Known = {
    ("Secret", "our-broker"): {"amqp-url", "management-url", "username", "password"},
    ("Secret", "our-own-broker"): {"username", "password", "erlang-cookie"},
    ("Secret", "our-authority"): {"ca.crt"},
    ("PersistentVolumeClaim", "our-model"): set(),
    ("Secret", "our-bucket"): {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
    ("Secret", "our-console"): {"password", "secret-key"},
    ("Secret", "our-registry"): {".dockerconfigjson"},
    ("PersistentVolumeClaim", "our-volume"): set(),
}


def test_every_selector_chooses_something_and_no_workload_chooses_anothers_pods() -> None:
    for name, rendering in combinations().items():
        assert unmet_selectors(rendering.objects()) == [], name


def test_every_object_and_every_key_that_a_pod_speaks_of_is_there() -> None:
    for name, rendering in combinations().items():
        assert unmet_references(rendering.objects(), USERS) == [], name


def test_what_runs_before_an_installation_needs_nothing_of_it() -> None:
    """Its objects are not there yet, but for those of the same hook."""
    seen = 0
    for name, rendering in combinations().items():
        before = [
            each
            for each in rendering.objects()
            if "pre-install" in (each["metadata"].get("annotations") or {}).get("helm.sh/hook", "")
        ]
        seen += len(before)
        assert unmet_references(before, USERS) == [], name
    assert seen


def test_what_keda_logs_in_with_is_there() -> None:
    for name, rendering in combinations().items():
        objects = rendering.objects()
        for each in named(objects, "TriggerAuthentication"):
            for ref in each["spec"]["secretTargetRef"]:
                pod = copy.deepcopy(next(iter(pod_templates(objects))).owner)
                container = pod["spec"]["template"]["spec"]["containers"][0]
                container["env"] = [
                    {"name": "A", "valueFrom": {"secretKeyRef": {"name": ref["name"], "key": ref["key"]}}}
                ]
                assert unmet_references([*objects, pod], USERS) == [], name


def test_names_of_ports_are_the_fleets() -> None:
    """Monitors, policies and the console look for these."""
    wanted = {
        "ingest": {"http": 8080},
        "console": {"http": 8090},
        "worker": {"metrics": 8081},
        "rabbitmq": {"amqp": 5672, "management": 15672, "prometheus": 15692},
    }
    for name, rendering in combinations().items():
        for pod in pod_templates(rendering.objects()):
            assert wanted.get(pod.component, {}).items() <= pod.ports().items(), f"{name}: {pod.name}"


def test_every_pod_is_under_a_network_policy_and_none_is_when_they_are_off() -> None:
    for name, rendering in combinations().items():
        objects = rendering.objects()
        policies = named(objects, "NetworkPolicy")
        if not policies:
            assert "bare" in name, name
            continue
        for pod in pod_templates(objects):
            assert any(matches(each["spec"]["podSelector"], pod.labels) for each in policies), f"{name}: {pod.name}"
    assert not named(Rendering({"networkPolicy": {"enabled": False}}).objects(), "NetworkPolicy")


@pytest.fixture
def whole() -> list[Json]:
    values = {"monitoring": {"enabled": True}, "ingest": {"ingress": {"enabled": True}}}
    return copy.deepcopy(Rendering(values, apis=KEDA + PROMETHEUS).objects())


PLANTED: dict[str, tuple[str, str, Callable[[Json], Any]]] = {
    "its selector": ("Deployment", "-transcode", lambda it: it["spec"]["selector"]["matchLabels"].popitem()),
    "port web": ("Service", "-ingest", lambda it: it["spec"]["ports"][0].update(targetPort="web")),
    "chooses no pod": (
        "PodDisruptionBudget",
        "-transcode",
        lambda it: it["spec"]["selector"]["matchLabels"].update({"mediaflow.io/channel": "transcoder"}),
    ),
    "port 8082": (
        "NetworkPolicy",
        "-worker",
        lambda it: it["spec"]["ingress"][0].update(ports=[{"port": 8082}]),
    ),
    "its peer is no pod": (
        "NetworkPolicy",
        "-worker",
        lambda it: it["spec"]["ingress"][0].update({"from": [{"podSelector": {"matchLabels": {"a": "b"}}}]}),
    ),
    "no service": (
        "Ingress",
        "-ingest",
        lambda it: it["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"].update(name="other"),
    ),
    "scales": ("ScaledObject", "-transcode", lambda it: it["spec"]["scaleTargetRef"].update(name="other")),
    "no Role other": ("RoleBinding", "-console", lambda it: it["roleRef"].update(name="other")),
}


@pytest.mark.parametrize("said", PLANTED)
def test_a_selector_that_chooses_nothing_is_found(whole: list[Json], said: str) -> None:
    kind, name, plant = PLANTED[said]
    plant(the(whole, kind, name))

    assert any(said in each for each in unmet_selectors(whole))


def test_a_reference_that_is_not_met_is_found(whole: list[Json]) -> None:
    ingest = the(whole, "Deployment", "-ingest")["spec"]["template"]["spec"]
    secret = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "films-mediaflow-rabbitmq", "key": "passwort"}}}
    ingest["containers"][0]["env"].append(secret)
    ingest["containers"][0]["volumeMounts"].append({"name": "nowhere", "mountPath": "/a"})
    ingest["volumes"].append({"name": "other", "configMap": {"name": "other"}})
    ingest["serviceAccountName"] = "somebody"

    said = " ".join(unmet_references(whole, USERS))

    for each in ("without passwort", "mounts nowhere", "ConfigMap other", "other is mounted nowhere", "somebody"):
        assert each in said


def test_a_fleet_without_what_is_optional_is_whole_too() -> None:
    objects = Rendering(merged(BARE, {"keda": {"enabled": False}})).objects()

    kinds = {each["kind"] for each in objects}
    assert not kinds & {"ScaledObject", "NetworkPolicy", "PodDisruptionBudget", "HorizontalPodAutoscaler", "Role"}
    assert not [each for each in objects if "console" in each["metadata"]["name"]]
