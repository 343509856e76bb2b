"""Installed: everything runs, queues are there, and the chart's own tests pass."""

import re

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.own_values import CHANNELS


def test_every_pod_is_ready_in_a_namespace_that_takes_nothing_but_restricted_pods(mediaflow: Installation) -> None:
    assert mediaflow.troubles() == ""
    assert set(mediaflow.channels()) == set(CHANNELS)
    assert len(mediaflow.pods("ingest")) == 2
    assert len(mediaflow.pods("console")) == 1
    assert len(mediaflow.pods("rabbitmq")) == mediaflow.parameters.brokers


def test_every_channel_has_its_queue_and_its_dead_letter_queue_and_somebody_who_takes_from_it(
    mediaflow: Installation,
) -> None:
    queues = mediaflow.client.ask("traffic")["queues"]

    assert {f"media.{channel}{end}" for channel in CHANNELS for end in ("", ".dlq")} <= set(queues)
    for channel in CHANNELS:
        assert queues[f"media.{channel}"]["consumers"] >= 1


def test_the_charts_own_tests_pass(mediaflow: Installation) -> None:
    logs = mediaflow.helm.test(limit_s=mediaflow.parameters.limit(300))

    assert set(re.findall(r"^Phase: +(\w+)", logs, re.MULTILINE)) == {"Succeeded"}, logs


def test_keda_scales_every_channel_between_its_bounds(keda: Installation) -> None:
    parameters = keda.parameters
    bounds = {"thumbnail": (1, 2), "transcode": (parameters.fewest, parameters.most), "subtitle": (1, 2)}
    for channel in CHANNELS:
        scaled = keda.scaled_object(channel)
        ready = {each["type"]: each["status"] for each in scaled["status"]["conditions"]}
        assert ready["Ready"] == "True", scaled["status"]
        assert (scaled["spec"]["minReplicaCount"], scaled["spec"]["maxReplicaCount"]) == bounds[channel]
        keda.await_workers(channel, bounds[channel][0])
