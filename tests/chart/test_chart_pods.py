"""What every pod of the chart keeps to, in every combination."""

import copy
import re
import urllib.request
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from chart_combinations import combinations, everything
from chart_objects import PodTemplate, pod_templates
from pod_security import violations
from rendered_chart import CHART, KEDA, Json, Rendering, at, named, the

pytestmark = pytest.mark.usefixtures("rendered")


def pods() -> Iterator[tuple[str, PodTemplate]]:
    """Give every pod of every combination; equal ones once."""
    for combination, each in everything():
        for template in pod_templates([each]):
            yield f"{combination}: {template.name}", template


def none_of(found: Iterator[str]) -> None:
    complaints = list(found)
    assert not complaints, "\n".join(complaints[:20])


def test_every_pod_is_restricted() -> None:
    none_of(f"{where}: {said}" for where, pod in pods() for said in violations(pod.spec))
    assert sum(1 for _ in pods()) > 100


PLANTED: dict[str, Callable[[Json], Any]] = {
    "hostNetwork": lambda spec: spec.update(hostNetwork=True),
    "hostPID": lambda spec: spec.update(hostPID=True),
    "of the kind hostPath": lambda spec: spec["volumes"].append({"name": "a", "hostPath": {"path": "/"}}),
    "sysctl": lambda spec: spec["securityContext"].update(sysctls=[{"name": "kernel.panic", "value": "1"}]),
    "privileged": lambda spec: spec["containers"][0]["securityContext"].update(privileged=True),
    "allowPrivilegeEscalation": lambda spec: spec["containers"][0]["securityContext"].pop("allowPrivilegeEscalation"),
    "drop ALL": lambda spec: spec["containers"][0]["securityContext"].pop("capabilities"),
    "adds SYS_ADMIN": lambda spec: spec["containers"][0]["securityContext"]["capabilities"].update(add=["SYS_ADMIN"]),
    "runAsNonRoot": lambda spec: spec["securityContext"].pop("runAsNonRoot"),
    "user 0": lambda spec: spec["containers"][0]["securityContext"].update(runAsUser=0),
    "seccompProfile": lambda spec: spec["securityContext"].pop("seccompProfile"),
    "hostPort": lambda spec: spec["containers"][0]["ports"][0].update(hostPort=80),
    "names a host": lambda spec: spec["containers"][0]["livenessProbe"]["httpGet"].update(host="1.2.3.4"),
    "before: allowPrivilegeEscalation": lambda spec: spec.update(initContainers=[{"name": "before"}]),
}


@pytest.mark.parametrize("said", PLANTED)
def test_a_pod_that_is_not_restricted_is_found(said: str) -> None:
    spec = copy.deepcopy(the(Rendering().objects(), "Deployment", "-ingest")["spec"]["template"]["spec"])
    assert violations(spec) == []

    PLANTED[said](spec)

    assert any(said in each for each in violations(spec))


def test_no_container_writes_into_its_image() -> None:
    none_of(
        f"{where}: {each['name']}"
        for where, pod in pods()
        for each in pod.containers
        if each["securityContext"].get("readOnlyRootFilesystem") is not True
    )


def test_the_console_alone_may_talk_to_kubernetes() -> None:
    with_token = {pod.component for _, pod in pods() if pod.spec.get("automountServiceAccountToken") is not False}
    with_account = {pod.component for _, pod in pods() if "serviceAccountName" in pod.spec}

    assert with_token == {"console"}
    assert with_account == {"console"}
    # The account itself gives its token to nobody who does not ask.
    for _, each in everything():
        if each["kind"] == "ServiceAccount":
            assert each["automountServiceAccountToken"] is False


def test_no_pod_is_given_variables_for_its_neighbours() -> None:
    # A release named mediaflow has a Service mediaflow-ingest, of which Kubernetes would make MEDIAFLOW_INGEST_PORT.
    none_of(where for where, pod in pods() if pod.spec.get("enableServiceLinks") is not False)


def test_nothing_says_how_many_workers_there_are() -> None:
    workers = [pod for _, pod in pods() if pod.component == "worker"]

    assert workers
    assert not [pod.name for pod in workers if "replicas" in pod.owner["spec"]]


def test_the_number_of_front_doors_is_said_by_the_autoscaler_or_by_the_chart() -> None:
    for name, rendering in combinations().items():
        objects = rendering.objects()
        scaled = bool(named(objects, "HorizontalPodAutoscaler", "-ingest"))
        assert ("replicas" in the(objects, "Deployment", "-ingest")["spec"]) != scaled, name


def test_an_upgrade_never_ends_a_pause() -> None:
    none_of(
        f"{name}: {each['kind']}"
        for name, each in everything()
        for note in each["metadata"].get("annotations") or {}
        if note.startswith(("autoscaling.keda.sh/paused", "mediaflow.io/"))
        and note not in ("mediaflow.io/min-workers", "mediaflow.io/max-workers")
    )


def test_every_image_is_pinned() -> None:
    pinned = re.compile(r"^[a-z0-9./:-]*?[a-z0-9-]+(:[A-Za-z0-9_][A-Za-z0-9_.-]*|@sha256:[0-9a-f]{64})$")
    none_of(
        f"{where}: {each['image']}"
        for where, pod in pods()
        for each in pod.containers
        if not pinned.match(each["image"]) or each["image"].endswith(":latest") or ":" not in each["image"]
    )


def test_images_come_from_the_registry_and_with_the_tag_that_was_asked_for() -> None:
    values = {"image": {"registry": "registry.example/films/", "tag": "9.9", "pullPolicy": "Always"}}
    for pod in pod_templates(Rendering(values).objects()):
        for each in pod.containers:
            if pod.component not in ("rabbitmq", "store"):
                assert re.fullmatch(r"registry\.example/films/mediaflow-[a-z]+:9\.9", each["image"]), pod.name
                assert each["imagePullPolicy"] == "Always"


def test_every_container_says_what_it_needs_and_what_it_may_take_at_most() -> None:
    none_of(
        f"{where}: {each['name']}"
        for where, pod in pods()
        for each in pod.containers
        if not {"cpu", "memory"} <= set(each.get("resources", {}).get("requests", {}))
        or "memory" not in each["resources"].get("limits", {})
    )


def _environment(pod: PodTemplate) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for container in pod.containers for each in container.get("env", [])}


@pytest.mark.parametrize("margin", [30, 45])
def test_a_worker_gets_the_time_of_its_longest_job_to_end(margin: int) -> None:
    values = at("workers.graceMarginSeconds", margin)
    limits = {"thumbnail": 600, "transcode": 14400, "subtitle": 7200}
    for pod in pod_templates(Rendering(values).objects()):
        if pod.component == "worker":
            grace = float(_environment(pod)["MEDIAFLOW_GRACE_S"])
            assert grace >= limits[pod.channel]
            assert pod.spec["terminationGracePeriodSeconds"] == grace + margin


def test_a_grace_period_can_be_cut_short_and_a_longer_limit_lengthens_it() -> None:
    values = {
        "workers": {"maxGraceSeconds": 900, "graceMarginSeconds": 30},
        "channels": {"thumbnail": {"jobTimeLimitSeconds": 700}},
    }
    found = {pod.channel: pod for pod in pod_templates(Rendering(values).objects()) if pod.component == "worker"}

    assert found["thumbnail"].spec["terminationGracePeriodSeconds"] == 730
    assert found["transcode"].spec["terminationGracePeriodSeconds"] == 930
    assert float(_environment(found["transcode"])["MEDIAFLOW_GRACE_S"]) == 900


def test_a_process_that_is_to_end_has_time_left_after_its_own_grace() -> None:
    none_of(
        where
        for where, pod in pods()
        if (own := _environment(pod).get("MEDIAFLOW_GRACE_S"))
        and float(own) + 10 > pod.spec["terminationGracePeriodSeconds"]
    )


def test_what_runs_for_ever_is_looked_after() -> None:
    none_of(
        f"{where}: no {probe}"
        for where, pod in pods()
        if pod.runs_for_ever()
        for each in pod.spec["containers"]
        for probe in ("livenessProbe", "readinessProbe")
        if probe not in each
    )


@pytest.fixture(scope="module")
def endpoints() -> dict[str, set[str]]:
    """Name the paths at which services answer, asked of the services' own code."""
    import console.probes
    import ingest.probes
    from mq_common.health import HealthServer

    found = {}
    for name, module in {"ingest": ingest.probes, "console": console.probes}.items():
        app = Flask(name)
        module.add_probe_routes(app, SimpleNamespace(store=None, outbox=None, publisher=None))  # type: ignore[arg-type]
        found[name] = {rule.rule for rule in app.url_map.iter_rules()}
    server = HealthServer("127.0.0.1", 0, live=lambda: None, ready=lambda: None)
    server.start()
    try:
        found["worker"] = {path for path in ("/healthz", "/readyz", "/metrics", "/x") if _answers(server.port, path)}
    finally:
        server.close()
    assert "/x" not in found["worker"]
    return found


def _answers(port: int, path: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_probes_ask_where_somebody_answers(endpoints: dict[str, set[str]]) -> None:
    asked = 0
    for where, pod in pods():
        for each in pod.containers:
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                get = each.get(probe, {}).get("httpGet")
                if get is None or pod.component not in endpoints:
                    continue
                asked += 1
                assert get["path"] in endpoints[pod.component], where
                assert get["port"] in pod.ports(), where
    assert asked


def test_a_broker_that_goes_has_time_to_hand_over() -> None:
    for where, pod in pods():
        if pod.component == "rabbitmq":
            assert pod.spec["terminationGracePeriodSeconds"] >= 60, where
            assert "preStop" in pod.spec["containers"][0]["lifecycle"], where


def test_the_own_values_files_and_keda_are_among_what_was_looked_at() -> None:
    names = list(combinations())

    assert all(any(name.startswith(file.name) for name in names) for file in CHART.glob("values-*.yaml"))
    assert any(rendering.apis[: len(KEDA)] == KEDA for rendering in combinations().values())
