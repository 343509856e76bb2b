"""The fleet as a real broker tells it: ages, channels, and what looking costs."""

import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from pika import BasicProperties, BlockingConnection, URLParameters
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from console.audit import Audit
from console.control.nothing_control import NothingControl
from console.fleet.broker_reader import BrokerReader
from console.fleet.lookout import Lookout
from console.fleet.looks import FleetLook
from media_common.settings import StoreSettings
from media_common.store import open_store
from mq_common.channels import load_channels
from mq_common.settings import BrokerSettings
from mq_common.topology import BINDING_KEY, EXCHANGE, ROUTING_KEY, declare_topology

PATIENCE_S = 30


@pytest.fixture
def settings(amqp_url: str, management_url: str) -> BrokerSettings:
    settings = BrokerSettings(AMQP_URL=SecretStr(amqp_url), management_url=SecretStr(management_url))
    declare_topology(settings, load_channels().values())
    return settings


@pytest.fixture
def channel(settings: BrokerSettings) -> Iterator[BlockingChannel]:
    connection = BlockingConnection(URLParameters(settings.amqp_url.get_secret_value()))
    channel = connection.channel()
    channel.confirm_delivery()
    yield channel
    connection.close()


@pytest.fixture
def make_lookout(settings: BrokerSettings, tmp_path) -> Iterator[Callable[[], Lookout]]:
    made = []

    def make() -> Lookout:
        audit = Audit(open_store(StoreSettings(store_url=(tmp_path / "media").as_uri(), store_fsync=False)))
        lookout = Lookout(settings, NothingControl(), load_channels, audit, viewers=5, state_dir=tmp_path / "state")
        made.append(lookout)
        lookout.start()
        return lookout

    yield make
    for lookout in made:
        lookout.stop()


def until(lookout: Lookout, condition: Callable[[FleetLook], bool]) -> FleetLook:
    deadline, number = time.monotonic() + PATIENCE_S, 0
    while time.monotonic() < deadline:
        look = lookout.feed.await_look(number, 5)
        if look is not None and look.broker.answers and condition(look):
            return look
        number = look.number if look is not None else 0
    pytest.fail(f"never seen; the last look was {look}")


def publish(channel: BlockingChannel, count: int) -> float:
    """Publish to every channel; gives when."""
    began = time.time()
    for _ in range(count):
        channel.basic_publish(EXCHANGE, ROUTING_KEY, b"{}", BasicProperties(delivery_mode=2), mandatory=True)
    return (began + time.time()) / 2


def transcode(look: FleetLook):
    return look.channel("transcode")


def test_the_lag_of_queues_that_nobody_serves_is_the_age_of_their_oldest_message(make_lookout, channel):
    lookout = make_lookout()
    until(lookout, lambda look: len(look.channels) == 3)
    first = publish(channel, 10)
    seen = until(lookout, lambda look: look.at > first + 2.5)
    second = publish(channel, 5)
    for look in (seen, until(lookout, lambda look: look.at > second + 1.5)):
        assert transcode(look).lag.exact
        assert transcode(look).lag.seconds == pytest.approx(look.at - first, abs=1.2)
    for _ in range(10):
        method, _, _ = channel.basic_get("media.transcode")
        channel.basic_ack(method.delivery_tag)
    left = until(lookout, lambda look: transcode(look).ready == 5)
    assert transcode(left).lag.seconds == pytest.approx(left.at - second, abs=1.2)
    assert left.channel("thumbnail").lag.seconds == pytest.approx(left.at - first, abs=1.2)
    # The age is right from the first look after a restart of the console.
    lookout.stop()
    again = until(make_lookout(), lambda look: transcode(look).ready == 5)
    assert transcode(again).lag.seconds == pytest.approx(again.at - second, abs=1.2)


def test_what_goes_through_is_counted(make_lookout, channel):
    lookout = make_lookout()
    until(lookout, lambda look: len(look.channels) == 3)
    publish(channel, 30)
    for _ in range(12):
        method, _, _ = channel.basic_get("media.subtitle")
        channel.basic_ack(method.delivery_tag)
    for _ in range(3):
        method, _, _ = channel.basic_get("media.subtitle")
        channel.basic_reject(method.delivery_tag, requeue=False)
    subtitle = until(lookout, lambda look: look.channel("subtitle").dead_letters == 3).channel("subtitle")
    assert (subtitle.ready, subtitle.stuck) == (15, 0)
    moving = until(lookout, lambda look: look.channel("subtitle").acked_rate > 0).channel("subtitle")
    assert moving.published_rate > moving.acked_rate


def test_a_channel_that_only_the_broker_knows_appears_by_itself(make_lookout, channel):
    lookout = make_lookout()
    until(lookout, lambda look: len(look.channels) == 3)
    channel.queue_declare("media.chapters", durable=True, arguments={"x-queue-type": "quorum"})
    channel.queue_bind("media.chapters", EXCHANGE, BINDING_KEY)
    publish(channel, 2)
    look = until(lookout, lambda look: look.channel("chapters") is not None)
    assert look.channel("chapters").ready == 2
    assert [each.name for each in look.channels][-1] == "chapters"


def test_looking_changes_no_message_and_no_counter(settings, channel):
    publish(channel, 5)
    reader = BrokerReader(settings)
    for _ in range(20):
        reader.read()
    reader.close()
    method, properties, _ = channel.basic_get("media.transcode")
    assert not method.redelivered
    assert (properties.headers or {}).get("x-delivery-count", 0) == 0
    channel.basic_nack(method.delivery_tag)


def test_a_look_costs_little(settings):
    reader = BrokerReader(settings)
    reader.read()
    before = time.thread_time()
    for _ in range(20):
        reader.read()
    reader.close()
    assert (time.thread_time() - before) / 20 < 0.03


def test_a_broker_that_is_not_there_is_said_to_be_gone(settings, tmp_path):
    nowhere = settings.model_copy(update={"management_url": SecretStr("http://guest:guest@127.0.0.1:9")})
    audit = Audit(open_store(StoreSettings(store_url=(tmp_path / "media").as_uri())))
    lookout = Lookout(nowhere, NothingControl(), load_channels, audit, viewers=5, state_dir=None)
    lookout.start()
    look = lookout.feed.await_look(0, PATIENCE_S)
    lookout.stop()
    assert not look.broker.answers
    assert "127.0.0.1:9 does not answer" in look.broker.reason
    assert httpx.URL(settings.management_url.get_secret_value()).password not in look.broker.reason
