"""Names and labels of everything in the chart, and that nothing secret stands where secrets don't belong."""

import base64
import json
import re
from typing import Any

import pytest

from chart_combinations import combinations, everything
from chart_objects import pod_templates, walk
from rendered_chart import KEDA, PROMETHEUS, Json, Rendering, named

pytestmark = pytest.mark.usefixtures("rendered")

STANDARD = {
    *("app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component"),
    *("app.kubernetes.io/part-of", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart"),
}
#: The components that console/control/kube_names.py and the policies know.
COMPONENTS = {
    *("worker", "replayer", "ingest", "console", "rabbitmq", "store", "topology", "load", "test"),
    # Objects that make no pods.
    *("channels", "scaling", "monitoring", "network"),
}
LABEL = re.compile(r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$")
NAME = re.compile(r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")


def test_everything_has_the_standard_labels() -> None:
    for name, each in everything():
        labels = each["metadata"].get("labels", {})
        assert set(labels) >= STANDARD, f"{name}: {each['kind']} {each['metadata']['name']}"
        assert labels["app.kubernetes.io/component"] in COMPONENTS, f"{name}: {each['kind']}"
        assert labels["app.kubernetes.io/managed-by"] == "Helm"


def test_every_pod_has_the_labels_by_which_the_console_knows_it() -> None:
    for name, each in everything():
        for pod in pod_templates([each]):
            assert set(pod.labels) >= {"app.kubernetes.io/instance", "app.kubernetes.io/component"}, name
            assert (pod.component == "worker") == bool(pod.channel), f"{name}: {pod.name}"


def test_the_users_labels_are_on_everything_and_in_no_selector() -> None:
    values = {"commonLabels": {"team": "films"}, "monitoring": {"enabled": True}}
    for each in Rendering(values, apis=KEDA + PROMETHEUS).objects():
        assert each["metadata"]["labels"]["team"] == "films", each["kind"]
        assert "team" not in json.dumps(each["spec"].get("selector", {})) if "spec" in each else True


@pytest.mark.parametrize("rendering", ["a long release name", "a name of the user's"])
def test_long_names_are_cut_before_they_are_too_long(rendering: str) -> None:
    objects = combinations()[rendering].objects()
    for each in objects:
        name = each["metadata"]["name"]
        # Kubernetes puts up to eleven characters behind the names of CronJobs, and ten behind StatefulSets' revisions.
        most = {"CronJob": 52, "StatefulSet": 52}.get(each["kind"], 63)
        assert len(name) <= most, f"{each['kind']} {name}"
        assert NAME.match(name), f"{each['kind']} {name}"
    names = [(each["kind"], each["metadata"]["name"]) for each in objects]
    assert len(names) == len(set(names))


def test_every_label_is_one_that_kubernetes_takes() -> None:
    for name, each in everything():
        for path, value in walk(each):
            if len(path) > 1 and path[-2] in ("labels", "matchLabels"):
                assert isinstance(value, str), f"{name}: {'.'.join(path)}"
                assert LABEL.match(value), f"{name}: {'.'.join(path)} {value!r}"


def test_everything_is_in_the_releases_namespace() -> None:
    for name, each in everything():
        assert each["metadata"].get("namespace", "media") == "media", f"{name}: {each['kind']}"
        assert not each["kind"].startswith("Cluster"), f"{name}: what is no namespace's is not a release's to make"


def _secret_values(objects: list[Json]) -> dict[str, str]:
    found = {}
    for secret in named(objects, "Secret"):
        values: dict[str, Any] = {
            key: base64.b64decode(value).decode() for key, value in (secret.get("data") or {}).items()
        }
        values |= secret.get("stringData") or {}
        found |= {f"{secret['metadata']['name']}/{key}": value for key, value in values.items() if key != "username"}
    return found


def test_nothing_secret_stands_anywhere_but_in_secrets() -> None:
    seen = 0
    for name, rendering in combinations().items():
        objects = rendering.objects()
        rest = json.dumps([each for each in objects if each["kind"] != "Secret"])
        for where, value in _secret_values(objects).items():
            seen += 1
            assert len(value) >= 16, f"{name}: {where} is short"
            assert value not in rest, f"{name}: {where}"
            assert base64.b64encode(value.encode()).decode() not in rest, f"{name}: {where}"
    assert seen


def test_a_password_of_the_users_is_in_the_secret_alone() -> None:
    objects = Rendering({"console": {"password": "a-planted-password"}}).objects()

    assert "a-planted-password" in _secret_values(objects).values()
    assert "a-planted-password" not in json.dumps(objects)


def test_two_installations_have_passwords_of_their_own() -> None:
    one, other = (_secret_values(Rendering(release=name).objects()) for name in ("one-mediaflow", "two-mediaflow"))

    assert one
    assert not set(one.values()) & set(other.values())
