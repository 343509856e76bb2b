"""Topology against a real broker."""

from typing import Any

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from mq_common.channels import ChannelSpec
from mq_common.errors import BrokerUnreachable, TopologyMismatch
from mq_common.process import exit_code_of
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import depth, eventually


def test_declaring_twice_changes_nothing(settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel) -> None:
    declare_topology(settings, [spec])
    channel.basic_publish("", spec.queue, b"kept")

    declare_topology(settings, [spec])

    eventually(lambda: depth(channel, spec.queue) == 1)


def test_another_delivery_limit_ends_with_exit_code_4_and_both_values(
    settings: BrokerSettings, spec: ChannelSpec, capsys: pytest.CaptureFixture[str]
) -> None:
    declare_topology(settings, [spec])
    other = spec.model_copy(update={"delivery_limit": spec.delivery_limit + 5})

    def declare() -> int:
        declare_topology(settings, [other])
        return 0

    assert exit_code_of(declare) == 4
    line = capsys.readouterr().err
    assert f"queue {spec.queue} exists with x-delivery-limit = {spec.delivery_limit}" in line
    assert f"wants {other.delivery_limit}" in line
    assert line.count("\n") == 1


def test_a_queue_of_another_type_is_a_mismatch_too(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    channel.queue_declare(spec.queue, durable=True)

    with pytest.raises(TopologyMismatch, match=r"x-queue-type|media\.transcode"):
        declare_topology(settings, [spec])


def test_an_unreachable_broker_ends_with_exit_code_3_and_names_the_address(
    spec: ChannelSpec, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = BrokerSettings(amqp_url=SecretStr("amqp://user:hunter2@127.0.0.1:1/%2f"), start_limit_s=0.3)

    def declare() -> int:
        declare_topology(nobody, [spec])
        return 0

    assert exit_code_of(declare) == 3
    line = capsys.readouterr().err
    assert "127.0.0.1:1" in line
    assert "hunter2" not in line


def test_a_wrong_password_says_so(settings: BrokerSettings, spec: ChannelSpec) -> None:
    parameters = pika.URLParameters(settings.amqp_url.get_secret_value())
    stranger = f"amqp://stranger:wrong@{parameters.host}:{parameters.port}/{parameters.virtual_host}"

    with pytest.raises(BrokerUnreachable, match="ACCESS_REFUSED"):
        declare_topology(BrokerSettings(amqp_url=SecretStr(stranger), start_limit_s=0.3), [spec])


def reject_once(channel: BlockingChannel, queue: str) -> dict[str, Any]:
    """Take the first message of the queue, reject it, and give its headers."""
    method, properties, _ = next(iter(channel.consume(queue, inactivity_timeout=10)))
    channel.basic_reject(method.delivery_tag, requeue=False)
    channel.cancel()
    return properties.headers or {}


def test_a_message_replayed_through_the_default_exchange_dies_into_the_same_queue_again(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    declare_topology(settings, [spec])
    channel.basic_publish("media.topic", "media.all", b"x", pika.BasicProperties(delivery_mode=2))
    eventually(lambda: depth(channel, spec.queue) == 1)
    reject_once(channel, spec.queue)
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 1)

    channel.basic_publish("", spec.queue, b"replayed", pika.BasicProperties(delivery_mode=2))
    eventually(lambda: depth(channel, spec.queue) == 1)
    reject_once(channel, spec.queue)

    eventually(lambda: depth(channel, spec.dead_letter_queue) == 2)


def test_a_dead_letter_queue_survives_a_hundred_looks(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    declare_topology(settings, [spec])
    channel.basic_publish("", spec.dead_letter_queue, b"x", pika.BasicProperties(delivery_mode=2))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 1)

    def look() -> bool:
        method, _, _ = channel.basic_get(spec.dead_letter_queue)
        if method is not None:
            channel.basic_nack(method.delivery_tag, requeue=True)
        return method is not None

    for _ in range(100):
        eventually(look)

    eventually(lambda: depth(channel, spec.dead_letter_queue) == 1)
