"""ConfirmingPublisher against a real broker: confirmed, unroutable, nacked, unknown, and back again."""

import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from local_fleet.broker import PrivateBroker
from mq_common.channels import ChannelSpec
from mq_common.events import MediaEvent
from mq_common.metrics import CHANNEL_REOPENS
from mq_common.publisher import ConfirmingPublisher, Outcome, OutgoingMessage, event_message
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import depth, eventually, rabbitmqctl


@contextmanager
def publishing(settings: BrokerSettings, *, window: int = 1000, timeout: float = 5.0) -> Iterator[ConfirmingPublisher]:
    publisher = ConfirmingPublisher(settings, window=window, confirm_timeout=timeout)
    try:
        yield publisher
    finally:
        publisher.close()


def to_queue(queue: str, body: bytes = b"x") -> OutgoingMessage:
    return OutgoingMessage("", queue, body, pika.BasicProperties(delivery_mode=2, message_id="m"))


def test_one_publish_reaches_the_queue_of_every_channel(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    other = spec.model_copy(update={"name": "preview"})
    declare_topology(settings, [spec, other])

    with publishing(settings) as publisher:
        outcome = publisher.publish(event_message(MediaEvent.create(asset_id="a", owner_id="u")))

    assert outcome is Outcome.CONFIRMED
    assert [depth(channel, each.queue) for each in (spec, other)] == [1, 1]


def test_returns_and_confirms_are_told_apart_while_both_are_in_flight(
    settings: BrokerSettings, channel: BlockingChannel
) -> None:
    channel.queue_declare("here", durable=True)
    keys = ["here", "nowhere"] * 300

    with publishing(settings) as publisher:
        futures = [publisher.submit(to_queue(key, str(number).encode())) for number, key in enumerate(keys)]
        outcomes = [future.result() for future in futures]

    expected = [Outcome.CONFIRMED if key == "here" else Outcome.UNROUTABLE for key in keys]
    assert outcomes == expected
    assert depth(channel, "here") == 300


def test_a_full_queue_answers_nacked(settings: BrokerSettings, channel: BlockingChannel) -> None:
    channel.queue_declare(
        "full",
        durable=True,
        arguments={"x-queue-type": "quorum", "x-max-length": 5, "x-overflow": "reject-publish"},
    )

    with publishing(settings) as publisher:
        outcomes = Counter(publisher.publish(to_queue("full")) for _ in range(40))

    assert set(outcomes) == {Outcome.CONFIRMED, Outcome.NACKED}
    assert outcomes[Outcome.CONFIRMED] == depth(channel, "full")


def test_a_long_run_of_nacks_leads_to_a_new_channel_and_no_message_without_an_answer(
    settings: BrokerSettings, channel: BlockingChannel
) -> None:
    channel.queue_declare(
        "full",
        durable=True,
        arguments={"x-queue-type": "quorum", "x-max-length": 1, "x-overflow": "reject-publish"},
    )
    channel.queue_declare("free", durable=True)

    with publishing(settings) as publisher:
        eventually(lambda: publisher.publish(to_queue("full")) is Outcome.NACKED)
        reopened_before = CHANNEL_REOPENS._value.get()
        futures = [publisher.submit(to_queue("full")) for _ in range(300)]
        outcomes = Counter(future.result() for future in futures)
        assert outcomes[Outcome.UNKNOWN] == 0
        assert outcomes[Outcome.NACKED] > 200
        assert CHANNEL_REOPENS._value.get() == reopened_before + 1
        assert publisher.publish(to_queue("free")) is Outcome.CONFIRMED


def test_many_threads_share_one_connection(settings: BrokerSettings, channel: BlockingChannel) -> None:
    channel.queue_declare("shared", durable=True)

    with publishing(settings, window=20) as publisher, ThreadPoolExecutor(16) as pool:
        outcomes = Counter(pool.map(lambda _: publisher.publish(to_queue("shared")), range(800)))

    assert outcomes == {Outcome.CONFIRMED: 800}
    assert depth(channel, "shared") == 800


def test_an_unknown_exchange_costs_its_message_only(settings: BrokerSettings, channel: BlockingChannel) -> None:
    channel.queue_declare("here", durable=True)
    stray = OutgoingMessage("no-such-exchange", "k", b"x", pika.BasicProperties())

    with publishing(settings) as publisher:
        assert publisher.publish(stray) is Outcome.UNKNOWN
        assert publisher.publish(to_queue("here")) is Outcome.CONFIRMED


def test_a_message_that_does_not_fit_into_frames_harms_no_other(
    settings: BrokerSettings, channel: BlockingChannel
) -> None:
    channel.queue_declare("here", durable=True)
    too_long = OutgoingMessage("", "here", b"x", pika.BasicProperties(message_id="m" * 300))

    with publishing(settings, timeout=2) as publisher:
        assert publisher.publish(too_long) is Outcome.UNKNOWN
        assert publisher.publish(to_queue("here")) is Outcome.CONFIRMED


def test_without_a_broker_the_answer_comes_within_the_bound() -> None:
    nobody = BrokerSettings(amqp_url=SecretStr("amqp://guest:guest@127.0.0.1:1/%2f"))

    with publishing(nobody, timeout=0.5) as publisher:
        started = time.monotonic()
        assert publisher.publish(to_queue("x")) is Outcome.UNKNOWN
        assert time.monotonic() - started < 3
        assert not publisher.ready


def test_a_closed_publisher_answers_unknown(settings: BrokerSettings) -> None:
    publisher = ConfirmingPublisher(settings)
    publisher.close()
    publisher.close()

    assert publisher.publish(to_queue("x")) is Outcome.UNKNOWN


def test_close_waits_for_what_is_on_its_way(settings: BrokerSettings, channel: BlockingChannel) -> None:
    channel.queue_declare("here", durable=True)
    publisher = ConfirmingPublisher(settings)
    futures = [publisher.submit(to_queue("here")) for _ in range(500)]

    publisher.close()

    assert {future.result(timeout=0) for future in futures} == {Outcome.CONFIRMED}


@pytest.mark.slow
def test_a_killed_broker_ends_publishes_as_unknown_and_publishing_goes_on_after_its_restart(
    own_broker: PrivateBroker,
) -> None:
    settings = BrokerSettings(amqp_url=SecretStr(own_broker.address.amqp_url))
    connection = pika.BlockingConnection(pika.URLParameters(own_broker.address.amqp_url))
    connection.channel().queue_declare("here", durable=True, arguments={"x-queue-type": "quorum"})
    connection.close()
    own_broker.restart()  # RabbitMQ 3.10 loses a quorum queue's leader when killed seconds after its declaration

    with publishing(settings, timeout=2) as publisher:
        assert publisher.publish(to_queue("here")) is Outcome.CONFIRMED
        own_broker.kill()
        started = time.monotonic()
        assert publisher.publish(to_queue("here")) is Outcome.UNKNOWN
        assert time.monotonic() - started < 5
        own_broker.start()
        eventually(lambda: publisher.ready, within_s=30)
        eventually(lambda: publisher.publish(to_queue("here")) is Outcome.CONFIRMED, within_s=30)


@pytest.mark.slow
def test_a_blocked_broker_answers_within_the_bound_and_publishing_goes_on_by_itself(
    own_broker: PrivateBroker,
) -> None:
    settings = BrokerSettings(amqp_url=SecretStr(own_broker.address.amqp_url))

    with publishing(settings, timeout=1) as publisher:
        assert publisher.publish(to_queue("nowhere")) is Outcome.UNROUTABLE
        rabbitmqctl(own_broker, "set_vm_memory_high_watermark", "absolute", "1MB")

        def blocked() -> bool:
            started = time.monotonic()
            outcome = publisher.publish(to_queue("nowhere"))
            assert time.monotonic() - started < 4
            return outcome is Outcome.UNKNOWN and not publisher.ready

        eventually(blocked, within_s=30)
        rabbitmqctl(own_broker, "set_vm_memory_high_watermark", "0.6")
        eventually(lambda: publisher.publish(to_queue("nowhere")) is Outcome.UNROUTABLE, within_s=30)


def _publish_in_child(publisher: ConfirmingPublisher, answers: "multiprocessing.Queue[str]") -> None:
    answers.put(publisher.publish(to_queue("here")).value)
    publisher.close()


def test_a_forked_child_opens_a_connection_of_its_own(settings: BrokerSettings, channel: BlockingChannel) -> None:
    channel.queue_declare("here", durable=True)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    with publishing(settings) as publisher:
        assert publisher.publish(to_queue("here")) is Outcome.CONFIRMED
        child = context.Process(target=_publish_in_child, args=(publisher, answers))
        child.start()
        assert answers.get(timeout=20) == "confirmed"
        child.join(20)
        assert child.exitcode == 0
        assert publisher.publish(to_queue("here")) is Outcome.CONFIRMED
    assert depth(channel, "here") == 3
