"""Giving deliveries back on shutdown without costing them one of their attempts."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

import pika
import structlog
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import AMQPError

from mq_common.connection import Version, reason_of, server_version
from mq_common.headers import published_again, without_broker_headers

log = structlog.get_logger()

#: From this version on nack(requeue=True) is not counted against the delivery limit.
NACK_IS_FREE: Version = (4, 3)


class Delivery(NamedTuple):
    """One message from the queue. ``generation`` numbers the channel it came through: tags mean nothing on another."""

    generation: int
    tag: int
    redelivered: bool
    #: The properties, or the bytes they were on the wire: few messages are ever asked for them.
    header: pika.BasicProperties | bytes
    body: bytes

    @property
    def returns(self) -> int:
        """How often the message came back without an answer (x-delivery-count): crashes and lost channels."""
        if not self.redelivered or not (properties := self.properties):
            return 0
        count = (properties.headers or {}).get("x-delivery-count")
        return count if isinstance(count, int) else 0

    @property
    def message_id(self) -> str | None:
        """What the publisher called the message."""
        properties = self.properties
        return properties.message_id if properties else None

    @property
    def properties(self) -> pika.BasicProperties | None:
        """The message's properties; None when nobody can read them."""
        if not isinstance(self.header, bytes):
            return self.header
        properties = pika.BasicProperties()  # type: ignore[no-untyped-call]
        try:
            properties.decode(self.header)  # type: ignore[no-untyped-call]
        except (AMQPError, struct.error, ValueError, LookupError):
            return None
        return properties


def give_back(
    connection: BlockingConnection, channel: BlockingChannel, queue: str, deliveries: Sequence[Delivery]
) -> list[Delivery]:
    """Put deliveries back into their queue, unharmed; gives those that are settled now.

    Up to RabbitMQ 4.2 every return counts against the delivery limit, so ten rolling restarts could put an innocent
    message into the dead-letter queue. There the message is published to its queue again, confirmed, and only then
    acknowledged: dying in between leaves a duplicate, which the results absorb. Its count of crashes starts anew, which
    is fair for a message that had not been started.
    """
    if server_version(connection) >= NACK_IS_FREE:
        for delivery in deliveries:
            channel.basic_nack(delivery.tag, requeue=True)
        return list(deliveries)
    settled: list[Delivery] = []
    try:
        publishing = connection.channel()
        publishing.confirm_delivery()
        for delivery in deliveries:
            if not (properties := delivery.properties):
                continue  # the end of the channel returns it
            properties = published_again(properties, without_broker_headers(properties.headers))
            publishing.basic_publish("", queue, delivery.body, properties, mandatory=True)
            channel.basic_ack(delivery.tag)
            settled.append(delivery)
    except AMQPError as error:
        log.warning("give_back_incomplete", queue=queue, left=len(deliveries) - len(settled), reason=reason_of(error))
    return settled
