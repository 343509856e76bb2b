"""The Job that declares queues: it needs nothing of a release that is not there yet."""

from importlib import metadata

import pytest

from chart_combinations import BROKERS
from chart_objects import pod_templates
from rendered_chart import Rendering, at, merged, named, the

BEFORE = {"builtin": "post-install,pre-upgrade", "operator": "post-install,pre-upgrade"}


@pytest.mark.parametrize("broker", BROKERS)
def test_it_runs_when_there_is_a_broker_with_channels_of_its_own(broker: str) -> None:
    objects = Rendering(merged(BROKERS[broker], at("rabbitmq.existingSecret", "ours"))).objects()
    job, channels = (the(objects, kind, "-topology") for kind in ("Job", "ConfigMap"))
    annotations = [each["metadata"]["annotations"] for each in (channels, job)]

    assert {each["helm.sh/hook"] for each in annotations} == {BEFORE.get(broker, "pre-install,pre-upgrade")}
    weights = [int(each["helm.sh/hook-weight"]) for each in annotations]
    assert weights == sorted(set(weights)), "the file has to be there first"
    # What it mounts came with it, and it has no account: nothing else of the release may be missing.
    (pod,) = pod_templates([job])
    assert {each["configMap"]["name"] for each in pod.spec["volumes"] if "configMap" in each} == {
        channels["metadata"]["name"]
    }
    assert "serviceAccountName" not in pod.spec
    assert channels["data"] == the(objects, "ConfigMap", "-channels")["data"]


def test_it_runs_a_command_that_there_is() -> None:
    (container,) = the(Rendering().objects(), "Job", "-topology")["spec"]["template"]["spec"]["containers"]
    commands = {each.name for each in metadata.distribution("mediaflow-mq-common").entry_points}

    assert container["command"] == [f"/opt/mediaflow/bin/{name}" for name in commands]


def test_it_ends_after_its_own_patience_and_tries_nothing_twice_that_waiting_does_not_change() -> None:
    job = the(Rendering(at("topology.startLimitSeconds", 120)).objects(), "Job", "-topology")["spec"]
    (container,) = job["template"]["spec"]["containers"]
    (rule,) = job["podFailurePolicy"]["rules"]

    assert {"name": "MEDIAFLOW_START_LIMIT_S", "value": "120"} in container["env"]
    assert job["activeDeadlineSeconds"] > 120
    assert rule["action"] == "FailJob"
    assert rule["onExitCodes"] == {"containerName": container["name"], "operator": "In", "values": [2, 4]}


def test_no_other_object_is_a_hook_but_the_tests() -> None:
    """What a hook made is not the release's: uninstalling leaves it."""
    hooks = {
        (each["kind"], each["metadata"]["name"].removeprefix("films-mediaflow-"))
        for each in Rendering().objects()
        if "helm.sh/hook" in (each["metadata"].get("annotations") or {})
    }

    assert hooks == {("ConfigMap", "topology"), ("Job", "topology"), ("Pod", "test")}
    assert not named(Rendering().objects(), "ServiceAccount", "-topology")
