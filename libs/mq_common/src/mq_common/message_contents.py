"""All that a message's properties say, for people to read. Pure."""

from typing import Any, NamedTuple

import pika
from pika.exceptions import AMQPError

from mq_common._wire_properties import WireProperties

_PROPERTIES = (
    *("content_type", "content_encoding", "delivery_mode", "priority", "correlation_id", "reply_to", "expiration"),
    *("message_id", "timestamp", "type", "app_id", "cluster_id"),
)


class MessageContents(NamedTuple):
    """Properties by AMQP's names, those that are set; headers by name, None where a value can't be decoded.

    Values are as Pika decodes them: text, numbers, times, bytes, and tables and lists of these.
    """

    properties: dict[str, Any]
    headers: dict[str, Any]


def read_contents(wire: bytes) -> MessageContents:
    """Read properties as they were on the wire. Raises ValueError when they are damaged."""
    whole = WireProperties(wire)
    headers = {name: whole.header(name) for name in whole.names}
    plain = whole.again(lambda name: False, {})
    try:
        read = pika.BasicProperties().decode(plain.encode()[0])  # type: ignore[no-untyped-call]
    except (AMQPError, ValueError, LookupError, UnicodeError) as error:
        raise ValueError(f"damaged properties: {error!r}") from error
    found = {name: getattr(read, name) for name in _PROPERTIES}
    return MessageContents({name: value for name, value in found.items() if value is not None}, headers)
