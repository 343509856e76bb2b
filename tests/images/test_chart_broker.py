"""The chart's broker on real nodes: a cluster forms, nodes are replaced under load, one comes back without its disk."""

import json
from collections.abc import Iterator
from functools import partial
from threading import Event, Thread
from time import sleep

import pika
import pika.exceptions
import pytest

from chart_broker import ChartBroker
from container_fleet import broker_image
from docker_engine import Engine

QUEUE = "media.transcode"
NODES = (0, 1, 2)


@pytest.fixture(scope="module")
def broker(bare_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChartBroker]:
    """Three nodes, of which the one that founds the cluster came last."""
    own = Engine()
    broker = ChartBroker(own, broker_image(), tmp_path_factory.mktemp("broker"))
    try:
        for number in (2, 1, 0):
            broker.start(number)
        broker.wait("three nodes in one cluster", partial(_all_run, broker))
        with broker.connect() as connection:
            arguments = {"x-queue-type": "quorum", "x-delivery-limit": 5}
            connection.channel().queue_declare(QUEUE, durable=True, arguments=arguments)
        yield broker
    finally:
        own.remove_all()


def _all_run(broker: ChartBroker, at: int = 0) -> bool:
    return int(broker.evaluate(at, "length(rabbit_nodes:list_running()).")) == len(NODES)


def _members(broker: ChartBroker, at: int, column: str = "members") -> set[str]:
    listed = broker.run(at, "rabbitmqctl", "--quiet", "list_queues", "--formatter", "json", "name", column)
    return set(next(queue[column] for queue in json.loads(listed) if queue["name"] == QUEUE))


def test_the_nodes_obey_the_rendered_configuration(broker: ChartBroker) -> None:
    for number in NODES:
        assert broker.evaluate(number, "application:get_env(rabbit, consumer_timeout).") == "{ok,18000000}"
        assert broker.evaluate(number, "rabbit_disk_monitor:get_disk_free_limit().") == "1000000000"
        # 0.6 of the 2 GiB that the values give the container
        assert broker.evaluate(number, "vm_memory_monitor:get_memory_limit().") == "1288490188"


class Publisher(Thread):
    """Publishes one number after the other; `confirmed` are those that the broker has said it has."""

    def __init__(self, broker: ChartBroker) -> None:
        super().__init__(daemon=True)
        self._broker, self._done, self.confirmed = broker, Event(), set[bytes]()

    def run(self) -> None:
        number = 0
        while not self._done.is_set():
            try:
                channel = self._broker.connect().channel()
                channel.confirm_delivery()
                while not self._done.is_set():
                    number += 1
                    body = str(number).encode()
                    channel.basic_publish("", QUEUE, body, pika.BasicProperties(delivery_mode=2), mandatory=True)
                    self.confirmed.add(body)
                    sleep(0.01)
            except (pika.exceptions.AMQPError, OSError):
                continue

    def end(self) -> set[bytes]:
        self._done.set()
        self.join(150)
        return self.confirmed


def test_nodes_that_are_replaced_one_by_one_lose_nothing_that_was_confirmed(broker: ChartBroker) -> None:
    publisher = Publisher(broker)
    publisher.start()
    for number in reversed(NODES):
        broker.stop(number)
        assert broker.start(number) == "", "a node that has its data asks nobody whom to join"
        broker.wait(f"node {number} is back", partial(_all_run, broker, at=1 if number != 1 else 0))
        broker.wait("every member is online", lambda: len(_members(broker, 0, "online")) == 3)
    confirmed = publisher.end()

    found = set()
    with broker.connect() as connection:
        channel = connection.channel()
        for method, _, body in channel.consume(QUEUE, inactivity_timeout=5):
            if method is None:
                break
            channel.basic_ack(method.delivery_tag)
            found.add(body)
    assert len(confirmed) > 100
    assert confirmed - found == set()


def test_the_first_node_without_its_volume_joins_the_others_and_founds_nothing(broker: ChartBroker) -> None:
    with broker.connect() as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        channel.basic_publish("", QUEUE, b"kept", pika.BasicProperties(delivery_mode=2), mandatory=True)

    broker.lose(0)
    said = broker.start(0)

    assert f"joins {broker.node(1).partition('@')[2]}" in said
    broker.wait("three nodes in one cluster", partial(_all_run, broker))
    broker.wait("every member is online", lambda: _members(broker, 0, "online") == {*map(broker.node, NODES)})
    with broker.connect() as connection:
        assert connection.channel().basic_get(QUEUE, auto_ack=True)[2] == b"kept"
