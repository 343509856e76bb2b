"""The private node: its life from start to end, seen from outside."""

import signal
import time

import pika
import pytest

from local_fleet.addresses import vhost_of
from local_fleet.broker import PrivateBroker
from local_fleet.broker_state import BrokerState
from local_fleet.identity import ProcessIdentity
from mq_common.management import ManagementClient


def _connect(url: str) -> None:
    pika.BlockingConnection(pika.URLParameters(url)).close()


@pytest.mark.slow
def test_a_node_keeps_its_address_and_messages_over_a_restart_and_leaves_nothing_behind(tmp_path):
    broker = PrivateBroker(tmp_path / "node", death_signal=signal.SIGKILL)
    try:
        address = broker.start()
        with pika.BlockingConnection(pika.URLParameters(address.amqp_url)) as connection:
            channel = connection.channel()
            channel.queue_declare("kept", durable=True, arguments={"x-queue-type": "quorum"})
            channel.confirm_delivery()
            channel.basic_publish("", "kept", b"1", mandatory=True)

        assert broker.restart() == address

        with pika.BlockingConnection(pika.URLParameters(address.amqp_url)) as connection:
            assert connection.channel().basic_get("kept", auto_ack=True)[2] == b"1"
        # Another object on the same folder stops the same node, its epmd too.
        other = PrivateBroker(tmp_path / "node", death_signal=signal.SIGKILL)
        epmd = BrokerState(tmp_path / "node").identity("epmd")
        assert other.pid == broker.pid
        assert other.stop()
        assert not broker.is_running
        assert isinstance(epmd, ProcessIdentity)
        assert not epmd.is_alive()
        assert not other.stop()
    finally:
        broker.kill()


def test_the_management_figures_are_about_a_second_old(amqp_url, management_url):
    depths = ManagementClient(management_url, vhost=vhost_of(amqp_url))
    seen = set()
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        channel.queue_declare("growing", durable=True, arguments={"x-queue-type": "quorum"})
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline and len(seen) < 4:  # figures every five seconds would be two
            channel.basic_publish("", "growing", b"1")
            seen |= {each.total for name, each in depths.queue_depths().items() if name == "growing" and each.total}
            connection.sleep(0.1)
    assert len(seen) >= 4


def test_each_test_gets_a_virtual_host_of_its_own(amqp_url):
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        connection.channel().queue_declare("same-name", passive=False)


def test_another_test_does_not_see_its_queues(amqp_url):
    with (
        pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection,
        pytest.raises(pika.exceptions.ChannelClosedByBroker, match="NOT_FOUND"),
    ):
        connection.channel().queue_declare("same-name", passive=True)
