"""What the chart tells its broker, and what it refuses to tell it. That the broker obeys was seen on real clusters."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pod_security import violations
from rendered_chart import Json, Rendering, at, merged, named, the

OPERATORS = at("rabbitmq.mode", "operator")
EXTERNAL = at("rabbitmq.mode", "external")


def _files(values: Json | None = None) -> dict[str, str]:
    data = the(Rendering(values or {}).objects(), "ConfigMap", "-rabbitmq")["data"]
    assert isinstance(data, dict)
    return data


def _settings(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines)  # type: ignore[misc]


def test_one_node_and_three_have_the_same_configuration_so_a_further_node_restarts_none() -> None:
    assert _files(at("rabbitmq.replicas", 1)) == _files() == _files(at("rabbitmq.replicas", 5))


def test_the_limits_are_those_of_the_values_in_both_modes() -> None:
    values = at("rabbitmq", {"consumerTimeoutSeconds": 20000, "diskFreeLimit": "200MB", "memoryHighWatermark": 0.4})
    ours = _settings(_files(values)["rabbitmq.conf"])
    cluster = the(Rendering(merged(values, OPERATORS)).objects(), "RabbitmqCluster")
    theirs = _settings(cluster["spec"]["rabbitmq"]["additionalConfig"])

    for settings in (ours, theirs):
        assert settings["consumer_timeout"] == "20000000"
        assert settings["disk_free_limit.absolute"] == "200MB"
        assert settings["vm_memory_high_watermark.relative"] == "0.4"
        assert settings["quorum_queue.continuous_membership_reconciliation.enabled"] == "true"
    assert ours["total_memory_available_override_value"] == "2Gi"


def test_the_operator_takes_a_configuration_of_two_thousand_characters_at_most() -> None:
    cluster = the(Rendering(OPERATORS).objects(), "RabbitmqCluster")

    assert len(cluster["spec"]["rabbitmq"]["additionalConfig"]) < 1800


def test_the_operators_pods_keep_to_what_a_restricted_namespace_asks_for() -> None:
    # Its own do not: "would violate PodSecurity restricted" is all that an operator says in its log.
    cluster = the(Rendering(OPERATORS).objects(), "RabbitmqCluster")
    pod = cluster["spec"]["override"]["statefulSet"]["spec"]["template"]["spec"]

    assert not violations(pod)
    assert {each["name"] for each in pod["containers"] + pod["initContainers"]} == {"rabbitmq", "setup-container"}


def test_what_a_user_adds_to_the_configuration_is_in_it() -> None:
    values = at("rabbitmq.extraConfig", "heartbeat = 30\nchannel_max = 100\n")
    cluster = the(Rendering(merged(values, OPERATORS)).objects(), "RabbitmqCluster")

    for text in (_files(values)["rabbitmq.conf"], cluster["spec"]["rabbitmq"]["additionalConfig"]):
        assert {"heartbeat": "30", "channel_max": "100"}.items() <= _settings(text).items()


def test_a_broker_that_would_take_a_running_job_back_is_refused() -> None:
    said = Rendering(at("rabbitmq.consumerTimeoutSeconds", 14400)).refusal()

    assert "rabbitmq.consumerTimeoutSeconds: 14400" in said
    assert "transcode (14400)" in said


@pytest.mark.parametrize(
    ("external", "said"),
    [
        ({}, "rabbitmq.external.existingSecret: name the Secret"),
        ({"existingSecret": "ours"}, "rabbitmq.external.managementHost: where is the management API"),
        ({"existingSecret": "ours", "managementHost": "rabbitmq.example"}, "is not http(s)://host:port"),
        ({"existingSecret": "ours", "managementHost": "http://me:secret@rabbitmq.example:15672"}, "without a login"),
    ],
)
def test_what_is_missing_of_an_external_broker_is_named(external: Json, said: str) -> None:
    values = merged(EXTERNAL, at("rabbitmq.external", external), at("keda.enabled", True))

    assert said in Rendering(values).refusal()


def test_an_external_broker_leaves_nothing_of_a_broker_in_the_release() -> None:
    external = {"existingSecret": "ours", "managementHost": "https://rabbitmq.example"}
    objects = Rendering(merged(EXTERNAL, at("rabbitmq.external", external))).objects()

    assert [each for each in objects if "-rabbitmq" in each["metadata"]["name"]] == []


def test_a_secret_of_the_users_stands_in_for_the_generated_one_everywhere() -> None:
    objects = Rendering(at("rabbitmq.existingSecret", "our-login"), apis=()).objects()
    stateful = the(objects, "StatefulSet", "-rabbitmq")["spec"]["template"]["spec"]

    assert named(objects, "Secret", "-rabbitmq") == []
    assert next(each for each in stateful["volumes"] if each["name"] == "cookie")["secret"]["secretName"] == "our-login"
    assert "films-mediaflow-rabbitmq'" not in str([each["env"] for each in stateful["containers"]])


def test_nothing_but_a_closed_port_kills_a_broker() -> None:
    (broker,) = the(Rendering().objects(), "StatefulSet", "-rabbitmq")["spec"]["template"]["spec"]["containers"]

    # A drained node closes the AMQP port and is none the less alive.
    assert broker["livenessProbe"]["tcpSocket"] == {"port": "prometheus"}
    assert broker["readinessProbe"]["tcpSocket"] == {"port": "amqp"}


@pytest.mark.parametrize("grace", [60, 90, 600])
def test_a_node_stops_waiting_before_it_is_killed(grace: int) -> None:
    stop = _files(at("rabbitmq.terminationGracePeriodSeconds", grace))["stop.sh"]

    assert sum(map(int, re.findall(r"--timeout (\d+)", stop))) < grace


@pytest.mark.parametrize("name", ["prepare.sh", "stop.sh"])
def test_the_nodes_scripts_are_bash(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(_files()[name])
    bash = shutil.which("bash")
    assert bash

    assert subprocess.run([bash, "-n", str(tmp_path / name)], capture_output=True, check=False).returncode == 0
