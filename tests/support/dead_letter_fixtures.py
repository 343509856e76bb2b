"""A channel with dead letters in a virtual host of its own, and a store beside it: fixtures to be imported."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError
from pydantic import SecretStr

from media_common.local_store import LocalMediaStore
from mq_common.channels import ChannelSpec, load_channels
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology


@pytest.fixture
def settings(amqp_url: str) -> BrokerSettings:
    return BrokerSettings(amqp_url=SecretStr(amqp_url), start_limit_s=20)


@pytest.fixture
def spec(settings: BrokerSettings) -> ChannelSpec:
    channels = load_channels()
    declare_topology(settings, channels.values())
    return channels["subtitle"]


@pytest.fixture
def channel(amqp_url: str) -> Iterator[BlockingChannel]:
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    yield connection.channel()
    with suppress(AMQPError):  # a test may have taken the virtual host away
        connection.close()


@pytest.fixture
def store(tmp_path: Path) -> LocalMediaStore:
    return LocalMediaStore(tmp_path / "store")
