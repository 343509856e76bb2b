"""Every variable that the chart sets is one that the process reads, with a value that it takes."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from chart_combinations import everything
from chart_objects import PodTemplate, pod_templates
from mq_common.errors import ConfigurationError
from rendered_chart import Rendering, at, the
from service_settings import read_settings

pytestmark = pytest.mark.usefixtures("rendered")

#: What the user's Secrets and generated ones hold, by key.
SECRETS = {
    "amqp-url": "amqps://user:pass%2Fword@rabbitmq.example:5671/films",
    "management-url": "https://user:pass%2Fword@rabbitmq.example:15671",
    "username": "mediaflow",
    "password": "a-generated-password",
    "secret-key": "a-generated-key-of-enough-characters",
    "AWS_ACCESS_KEY_ID": "AKIA0123456789",
    "AWS_SECRET_ACCESS_KEY": "a-generated-secret",
}
#: Variables without the fleet's prefix: the broker's, those of every S3 client, and parts of others.
OTHERS = {
    *("AMQP_URL", "AWS_REGION", "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    *("RABBITMQ_USERNAME", "RABBITMQ_PASSWORD"),
    # Read by OpenSSL: authorities of the user's own.
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
    # Read by the Python of the image.
    *("HOME", "TMPDIR", "POD_NAME", "POD_NAMESPACE"),
}
SERVICES = ("ingest", "console", "replayer", "topology", "thumbnail", "transcode", "subtitle")


def environment(pod: PodTemplate) -> dict[str, str]:
    """Give the environment of a pod's process as the kubelet would make it."""
    found: dict[str, str] = {}
    for each in pod.containers[-1].get("env", []):
        ref = each.get("valueFrom") or {}
        if "secretKeyRef" in ref:
            value = SECRETS[ref["secretKeyRef"]["key"]]
        elif "fieldRef" in ref:
            value = "films-mediaflow-1"
        else:
            value = re.sub(r"\$\((\w+)\)", lambda match: found[match[1]], each.get("value", ""))
        assert each["name"] not in found, f"{pod.name} says {each['name']} twice"
        found[each["name"]] = value
    return found


@cache
def processes() -> list[tuple[str, str, dict[str, str]]]:
    """Give combination, service and environment of every process of the fleet; equal ones once."""
    found: dict[str, tuple[str, str, dict[str, str]]] = {}
    for combination, each in everything():
        for pod in pod_templates([each]):
            service = pod.channel or pod.component
            if service in SERVICES:
                variables = environment(pod)
                found.setdefault(f"{service} {sorted(variables.items())}", (combination, service, variables))
    return list(found.values())


def _without_the_file(variables: dict[str, str]) -> dict[str, str]:
    """Leave out the one file that is there only in a pod; what is in it has a test of its own."""
    return {name: value for name, value in variables.items() if name != "MEDIAFLOW_CHANNELS"}


@pytest.mark.parametrize("service", SERVICES)
def test_every_process_takes_the_environment_that_it_is_given(service: str) -> None:
    mine = [(name, variables) for name, each, variables in processes() if each == service]

    assert mine
    for name, variables in mine:
        assert variables["MEDIAFLOW_CHANNELS"] == "/etc/mediaflow/channels.toml"
        try:
            read_settings(service, _without_the_file(variables))
        except ConfigurationError as error:
            pytest.fail(f"{name}: {service}: {error}")


@pytest.mark.parametrize("service", SERVICES)
def test_a_variable_that_a_process_does_not_read_is_found(service: str) -> None:
    variables = next(variables for _, each, variables in processes() if each == service)

    with pytest.raises(ConfigurationError, match="MEDIAFLOW_GRACE_X"):
        read_settings(service, _without_the_file(variables) | {"MEDIAFLOW_GRACE_X": "1"})


@pytest.mark.parametrize("service", SERVICES)
def test_a_value_that_a_process_does_not_take_is_found(service: str) -> None:
    variables = next(variables for _, each, variables in processes() if each == service)

    with pytest.raises(ConfigurationError, match="MEDIAFLOW_LOG_LEVEL"):
        read_settings(service, _without_the_file(variables) | {"MEDIAFLOW_LOG_LEVEL": "loud"})


def _foreign() -> Iterator[str]:
    for name, service, variables in processes():
        for variable in variables:
            if not variable.startswith("MEDIAFLOW_") and variable not in OTHERS:
                yield f"{name}: {service}: {variable}"


def test_no_variable_is_set_that_nobody_knows() -> None:
    assert list(_foreign()) == []


def test_the_store_can_be_opened_with_the_environment_of_every_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from media_common.settings import StoreSettings
    from media_common.store import open_store

    seen = set()
    for _, _, variables in processes():
        mine = {key: value for key, value in variables.items() if key.startswith(("AWS_", "MEDIAFLOW_STORE"))}
        if str(mine) in seen or not mine:
            continue
        seen.add(str(mine))
        if mine["MEDIAFLOW_STORE_URL"].startswith("file:"):
            assert mine["MEDIAFLOW_STORE_URL"].startswith("file:///var/lib/mediaflow")
            mine["MEDIAFLOW_STORE_URL"] = tmp_path_factory.mktemp("store").as_uri()
        with monkeypatch.context() as only:
            for key, value in mine.items():
                only.setenv(key, value)
            assert open_store(StoreSettings())
    assert len(seen) >= 4


def test_the_consoles_page_is_never_open_to_everybody() -> None:
    """It listens on all addresses of its pod, so it has to have a password."""
    consoles = [variables for _, service, variables in processes() if service == "console"]

    assert consoles
    assert all(each["MEDIAFLOW_CONSOLE_HOST"] == "0.0.0.0" for each in consoles)
    assert all(each["MEDIAFLOW_CONSOLE_PASSWORD"] and each["MEDIAFLOW_CONSOLE_SECRET_KEY"] for each in consoles)
    assert all(each["MEDIAFLOW_CONSOLE_CONTROL"] == "kubernetes" for each in consoles)


def test_the_console_finds_the_front_door_and_its_release() -> None:
    objects = Rendering(at("ingest.service.port", 8000), release="our").objects()
    service = the(objects, "Service", "-ingest")
    (console,) = [pod for pod in pod_templates(objects) if pod.component == "console"]
    variables = environment(console)

    assert variables["MEDIAFLOW_CONSOLE_INGEST_URL"] == f"http://{service['metadata']['name']}:8000"
    assert service["spec"]["ports"][0]["port"] == 8000
    assert variables["MEDIAFLOW_CONSOLE_KUBE_RELEASE"] == "our"


def test_what_the_user_says_of_the_front_door_reaches_it() -> None:
    values = {"ingest": {"capacity": 300, "highWater": 0.5, "maxUploadBytes": 5_000_000_000, "workers": 3}}
    (ingest,) = [pod for pod in pod_templates(Rendering(values).objects()) if pod.component == "ingest"]
    variables = environment(ingest)

    assert variables["MEDIAFLOW_INGEST_CAPACITY"] == "300"
    assert variables["MEDIAFLOW_INGEST_HIGH_WATER"] == "0.5"
    assert variables["MEDIAFLOW_INGEST_MAX_UPLOAD_BYTES"] == "5000000000"
    assert variables["MEDIAFLOW_INGEST_WORKERS"] == "3"


@pytest.mark.parametrize("user", ["ingest.env", "console.env", "channels.transcode.env"])
def test_a_variable_of_the_users_reaches_its_process(user: str) -> None:
    objects = Rendering(at(user, {"MEDIAFLOW_START_LIMIT_S": 90, "FLAG": True})).objects()
    service = user.split(".")[-2]
    (pod,) = [each for each in pod_templates(objects) if service in (each.channel, each.component)]

    assert {"MEDIAFLOW_START_LIMIT_S": "90", "FLAG": "true"}.items() <= environment(pod).items()
