"""Clients that know several nodes: one that is gone, or hangs, must not stop them."""

import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr

from local_fleet.ports import free_ports
from mq_common.channels import load_channels
from mq_common.connection import connect
from mq_common.errors import BrokerUnreachable
from mq_common.events import MediaEvent, new_event_id
from mq_common.publisher import ConfirmingPublisher, Outcome, event_message
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import RecordingJob, eventually, working
from wire import Wire

SPEC = load_channels(None, "media")["thumbnail"]
#: Seconds after which a client counts a node as hung.
PATIENCE_S = 1.0


@pytest.fixture
def wires(amqp_url: str) -> Iterator[list[Wire]]:
    """Two ways to the broker, as to two nodes of a cluster."""
    parts = urlsplit(amqp_url)
    wires = [Wire(str(parts.hostname), parts.port or 5672) for _ in range(2)]
    yield wires
    for wire in wires:
        wire.close()


def settings_for(amqp_url: str, *ports: int) -> BrokerSettings:
    parts = urlsplit(amqp_url)
    login = parts.netloc.rpartition("@")[0]
    hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
    url = parts._replace(netloc=f"{login}@{hosts}").geturl()
    return BrokerSettings(amqp_url=SecretStr(url), heartbeat_s=5, connect_timeout_s=PATIENCE_S)


def an_event() -> MediaEvent:
    return MediaEvent(event_id=new_event_id(), asset_id="a", owner_id="o", uploaded_at="2026-01-01T00:00:00Z")


def connected_wire(wires: list[Wire]) -> Wire:
    (found,) = [wire for wire in wires if wire.connections]
    return found


@pytest.fixture
def publisher(amqp_url: str, wires: list[Wire]) -> Iterator[ConfirmingPublisher]:
    settings = settings_for(amqp_url, *(wire.port for wire in wires))
    declare_topology(settings, [SPEC])
    eventually(lambda: not any(wire.connections for wire in wires))
    publisher = ConfirmingPublisher(settings, confirm_timeout=PATIENCE_S)
    publisher.start()
    eventually(lambda: publisher.ready)
    yield publisher
    for wire in wires:
        wire.mend()
    publisher.close()


def is_confirmed(publisher: ConfirmingPublisher) -> bool:
    return publisher.publish(event_message(an_event())) is Outcome.CONFIRMED


def test_a_publisher_goes_on_by_the_next_node_at_once_when_its_own_is_gone(
    publisher: ConfirmingPublisher, wires: list[Wire]
) -> None:
    connected_wire(wires).cut()

    eventually(lambda: is_confirmed(publisher), within_s=5)


def test_a_publisher_leaves_a_node_that_hangs_long_before_the_heartbeat_notices(
    publisher: ConfirmingPublisher, wires: list[Wire]
) -> None:
    connected_wire(wires).freeze()
    began = time.monotonic()

    eventually(lambda: is_confirmed(publisher))

    assert time.monotonic() - began < 5 * PATIENCE_S


def test_a_publisher_is_not_held_up_by_a_node_that_accepts_and_says_nothing(amqp_url: str, wires: list[Wire]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        settings = settings_for(amqp_url, mute.getsockname()[1], wires[0].port)
        declare_topology(settings, [SPEC])
        publishers = [
            ConfirmingPublisher(settings) for _ in range(6)
        ]  # the order is drawn: some meet the mute one first
        for publisher in publishers:
            publisher.start()
        eventually(lambda: all(publisher.ready for publisher in publishers), within_s=10)
        for publisher in publishers:
            publisher.close()


def test_a_worker_goes_on_by_the_next_node_when_its_own_is_gone(amqp_url: str, wires: list[Wire]) -> None:
    settings = settings_for(amqp_url, *(wire.port for wire in wires))
    job = RecordingJob()
    with working(SPEC, job, settings) as running:
        eventually(lambda: running.worker._ready() is None)
        connected_wire(wires).cut()
        eventually(lambda: any(wire.connections for wire in wires))
        publisher = ConfirmingPublisher(settings)
        eventually(lambda: is_confirmed(publisher))
        publisher.close()
        eventually(lambda: job.ran == ["a"])


def test_a_broker_that_accepts_and_says_nothing_is_an_unreachable_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"amqp://u:p@127.0.0.1:{mute.getsockname()[1]}/"
        settings = BrokerSettings(amqp_url=SecretStr(url), connect_timeout_s=0.2)
        settings = settings.model_copy(update={"start_limit_s": 0.1})
        with pytest.raises(BrokerUnreachable, match=r"not reachable in 0\.1 s: .*[Tt]imeout"):
            connect(settings, "test")


def test_nodes_that_are_all_gone_are_named_together(amqp_url: str) -> None:
    one, other = free_ports(2)

    with pytest.raises(BrokerUnreachable, match=f"127.0.0.1:{one}, 127.0.0.1:{other} not reachable in 0.3 s"):
        connect(settings_for(amqp_url, one, other), "test", limit_s=0.3)
