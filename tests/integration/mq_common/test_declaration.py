"""The command mediaflow-topology as its own process, against a real broker."""

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from channel_entry import channel_entry
from mq_common.channels import ChannelSpec, load_channels
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import depth
from refusing_port import refusing_port

QUEUES = {f"media.{name}{end}" for name in load_channels() for end in ("", ".dlq")}


def topology(amqp_url: str, **variables: str) -> subprocess.CompletedProcess[str]:
    found = shutil.which("mediaflow-topology", path=str(Path(sys.executable).parent))
    assert found, "the package's console script is not installed"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MEDIAFLOW_")},
        **{"AMQP_URL": amqp_url, "MEDIAFLOW_LOG_FORMAT": "json", "MEDIAFLOW_START_LIMIT_S": "20", **variables},
    }
    return subprocess.run([found], env=environment, capture_output=True, text=True, timeout=60, check=False)


def said(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]


def queues(done: subprocess.CompletedProcess[str], event: str) -> set[str]:
    return {each["queue"] for each in said(done) if each["event"] == event}


def test_every_queue_is_declared_once_and_found_afterwards(amqp_url: str, channel: BlockingChannel) -> None:
    first = topology(amqp_url)
    assert first.returncode == 0, first.stderr
    assert queues(first, "queue_declared") == QUEUES
    channel.confirm_delivery()
    channel.basic_publish("media.topic", "media.all", b"kept", mandatory=True)

    second = topology(amqp_url)

    assert second.returncode == 0, second.stderr
    assert queues(second, "queue_found") == QUEUES
    assert queues(second, "queue_declared") == set()
    assert depth(channel, "media.transcode") == 1


def test_a_channel_that_is_added_is_the_only_one_that_is_declared(amqp_url: str, tmp_path: Path) -> None:
    topology(amqp_url)
    file = tmp_path / "channels.toml"
    file.write_text(resources.files("mq_common").joinpath("channels.toml").read_text("utf-8") + channel_entry("poster"))

    done = topology(amqp_url, MEDIAFLOW_CHANNELS=str(file))

    assert done.returncode == 0, done.stderr
    assert queues(done, "queue_declared") == {"media.poster", "media.poster.dlq"}


def test_a_queue_with_other_arguments_ends_it_with_exit_code_4(
    amqp_url: str, settings: BrokerSettings, spec: ChannelSpec
) -> None:
    declare_topology(settings, [spec.model_copy(update={"delivery_limit": 77})])

    done = topology(amqp_url)

    assert done.returncode == 4
    assert "media.transcode exists with x-delivery-limit = 77" in done.stderr


def test_a_broker_that_is_not_there_ends_it_with_exit_code_3_after_the_start_limit() -> None:
    with refusing_port() as port:
        done = topology(f"amqp://user:hunter2@127.0.0.1:{port}/%2f", MEDIAFLOW_START_LIMIT_S="1")

    assert done.returncode == 3
    assert f"127.0.0.1:{port}" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("variable", "value"), [("MEDIAFLOW_PROFILE", "real"), ("MEDIAFLOW_CHANELS", "x"), ("AMQP_URL", "http://a")]
)
def test_a_setting_that_is_wrong_ends_it_with_exit_code_2_and_is_named(variable: str, value: str) -> None:
    given = {variable: value}
    done = topology(given.pop("AMQP_URL", "amqp://127.0.0.1:1"), **given)

    assert done.returncode == 2
    assert variable in done.stderr
