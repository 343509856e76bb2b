"""Depths of the queues behind the exchange, as a real broker tells them."""

import re
from collections.abc import Iterator

import httpx
import pytest
from pydantic import SecretStr

from mq_common.channels import load_channels
from mq_common.errors import BrokerUnreachable
from mq_common.ready_messages import DISCOVERY_S, ReadyMessages
from mq_common.settings import BrokerSettings
from mq_common.topology import BINDING_KEY, EXCHANGE, declare_topology
from mq_workers import eventually


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watched(settings: BrokerSettings, management_url: str) -> BrokerSettings:
    declare_topology(settings, load_channels().values())
    return settings.model_copy(update={"management_url": SecretStr(management_url)})


@pytest.fixture
def ready(watched: BrokerSettings, clock: Clock) -> Iterator[ReadyMessages]:
    ready = ReadyMessages(watched, name="test", clock=clock)
    yield ready
    ready.close()


def _send(channel, queue, count):
    for _ in range(count):
        channel.basic_publish("", queue, b"x")


def test_every_queue_an_upload_reaches_is_counted_and_no_dead_letter_queue(ready, channel):
    channel.confirm_delivery()
    _send(channel, "media.transcode", 3)
    _send(channel, "media.transcode.dlq", 9)
    assert ready.read() == {"media.subtitle": 0, "media.thumbnail": 0, "media.transcode": 3}


def test_the_count_is_exact_at_once_and_without_what_a_worker_holds(ready, channel):
    channel.confirm_delivery()
    for expected in range(1, 20):
        _send(channel, "media.thumbnail", 1)
        assert ready.read()["media.thumbnail"] == expected
    channel.basic_get("media.thumbnail")
    assert ready.read()["media.thumbnail"] == 18


def test_a_new_queue_shows_up_and_one_that_is_gone_is_left_out(ready, channel, clock):
    assert "media.preview" not in ready.read()
    channel.queue_declare("media.preview", durable=True, arguments={"x-queue-type": "quorum"})
    channel.queue_bind("media.preview", EXCHANGE, BINDING_KEY)
    channel.queue_delete("media.subtitle")
    assert set(ready.read()) == {"media.thumbnail", "media.transcode"}
    clock.now += DISCOVERY_S
    assert set(ready.read()) == {"media.thumbnail", "media.transcode", "media.preview"}


def test_queues_that_uploads_do_not_reach_or_nobody_else_may_read_do_not_count(ready, channel):
    channel.queue_declare("audit")
    channel.queue_bind("audit", EXCHANGE, "audit.*")
    channel.queue_declare("somebodys-own", exclusive=True)
    channel.queue_bind("somebodys-own", EXCHANGE, "#")
    assert set(ready.read()) == {"media.subtitle", "media.thumbnail", "media.transcode"}
    assert len(ready.read()) == 3


def test_a_connection_that_is_lost_is_told_and_opened_again(ready, watched, management_url, vhost):
    assert len(ready.read()) == 3
    with httpx.Client(base_url=management_url, timeout=30) as management:

        def ours():
            found = management.get(f"/api/vhosts/{vhost}/connections").json()
            properties = {each["name"]: each.get("client_properties", {}) for each in found}
            return [name for name, told in properties.items() if told.get("connection_name") == "test"]

        eventually(ours)
        for name in ours():
            management.delete(f"/api/connections/{name}").raise_for_status()
    with pytest.raises(BrokerUnreachable):
        ready.read()
    assert len(ready.read()) == 3


def test_a_management_api_that_goes_away_leaves_the_queues_found_before(ready, channel, clock, monkeypatch):
    assert len(ready.read()) == 3
    monkeypatch.setattr(ready._management, "_base", "http://127.0.0.1:1")
    clock.now += DISCOVERY_S
    channel.confirm_delivery()
    _send(channel, "media.thumbnail", 2)
    assert ready.read()["media.thumbnail"] == 2


def test_without_a_broker_it_says_so(watched, amqp_url):
    host_and_port = re.search(r"[^@/]+:\d+(?=/)", amqp_url)[0]
    gone = watched.model_copy(update={"amqp_url": SecretStr(amqp_url.replace(host_and_port, "127.0.0.1:1"))})
    with pytest.raises(BrokerUnreachable, match="not reachable"):
        ReadyMessages(gone, name="test").read()


def test_no_queue_at_all_is_no_reading(ready, channel):
    for name in ("thumbnail", "transcode", "subtitle"):
        channel.queue_delete(f"media.{name}")
    with pytest.raises(BrokerUnreachable, match=r"media\.topic"):
        ready.read()
