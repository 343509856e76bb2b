"""Dead letters as a worker makes them: published to the channel's queue, taken and rejected."""

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel

from mq_common.channels import ChannelSpec
from mq_common.events import MediaEvent
from mq_common.messages import OutgoingMessage, event_message
from mq_common.publisher import ConfirmingPublisher
from mq_common.settings import BrokerSettings
from mq_workers import depth, eventually

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def events(count: int) -> list[MediaEvent]:
    return [MediaEvent.create(asset_id=f"a-{number}", owner_id="u") for number in range(count)]


def kill(settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, dying: Sequence[MediaEvent]) -> None:
    """Let each event die in the channel's queue, in their order."""
    there = depth(channel, spec.dead_letter_queue)
    publish(settings, [message_to(spec.queue, event) for event in dying])
    reject(channel, spec.queue, len(dying))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == there + len(dying))


def bury(
    settings: BrokerSettings,
    spec: ChannelSpec,
    dying: Iterable[MediaEvent],
    headers: Callable[[int], dict[str, Any]] = lambda number: {},
) -> None:
    """Put events straight into the dead-letter queue: quicker where many are needed."""
    messages = [message_to(spec.dead_letter_queue, event) for event in dying]
    for number, message in enumerate(messages):
        message.properties.headers |= headers(number)
    publish(settings, messages)


def message_to(queue: str, event: MediaEvent) -> OutgoingMessage:
    message = event_message(event, traceparent=TRACE)
    return OutgoingMessage("", queue, message.body, message.properties)


def publish(settings: BrokerSettings, messages: Sequence[OutgoingMessage]) -> None:
    publisher = ConfirmingPublisher(settings, confirm_timeout=60)
    with contextlib.closing(publisher):
        futures = [publisher.submit(message) for message in messages]
        assert {future.result().value for future in futures} <= {"confirmed"}


def reject(channel: BlockingChannel, queue: str, count: int) -> None:
    for number, (method, _, _) in enumerate(channel.consume(queue, inactivity_timeout=20), 1):
        assert method is not None, "a message did not come"
        channel.basic_reject(method.delivery_tag, requeue=False)
        if number == count:
            break
    channel.cancel()


def drain(channel: BlockingChannel, queue: str) -> list[tuple[pika.BasicProperties, bytes]]:
    """Take out everything that is ready, in order."""
    wanted = depth(channel, queue)
    found: list[tuple[pika.BasicProperties, bytes]] = []
    deadline = time.monotonic() + 30
    while len(found) < wanted:
        assert time.monotonic() < deadline, f"{queue} gave {len(found)} of {wanted}"
        method, properties, body = channel.basic_get(queue, auto_ack=True)
        if method is not None:
            found.append((properties, body))
    return found


def assets(channel: BlockingChannel, queue: str) -> list[str]:
    """Take out everything that is ready; gives the assets in the queue's order."""
    return [MediaEvent.from_body(body).asset_id for _, body in drain(channel, queue)]
