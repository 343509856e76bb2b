"""A test's own virtual host: settings, a quick channel, and a plain Pika channel to look at what the broker holds."""

from collections.abc import Iterator

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from mq_common.channels import ChannelSpec, RetryPolicy, load_channels
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology


@pytest.fixture
def settings(amqp_url: str) -> BrokerSettings:
    return BrokerSettings(amqp_url=SecretStr(amqp_url), start_limit_s=20)


@pytest.fixture
def spec() -> ChannelSpec:
    quick = RetryPolicy(count=1, initial_ms=10, multiplier=1.0, max_ms=10)
    return load_channels(profile="simulated")["transcode"].model_copy(
        update={"prefetch": 4, "concurrency": 2, "retries": quick}
    )


@pytest.fixture
def channel(amqp_url: str) -> Iterator[BlockingChannel]:
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    yield connection.channel()
    if connection.is_open:
        connection.close()


@pytest.fixture
def declared(settings: BrokerSettings, spec: ChannelSpec) -> None:
    declare_topology(settings, [spec])
