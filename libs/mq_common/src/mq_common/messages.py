"""What goes onto the wire, and how a publish can end."""

from dataclasses import dataclass
from datetime import UTC
from enum import Enum

import pika

from mq_common.errors import InvalidEvent
from mq_common.events import EVENT_TYPE, MediaEvent
from mq_common.topology import EXCHANGE, ROUTING_KEY

#: AMQP's code for "the broker keeps the message on disk".
PERSISTENT = 2

#: CloudEvents header with the version of its rules; those of 1.x can be read.
SPEC_VERSION = "cloudEvents:specversion"
_READABLE_SPEC = "1."


class Outcome(Enum):
    """How a publish ended."""

    #: The broker has the message in at least one queue.
    CONFIRMED = "confirmed"
    #: The broker took the message and gave it back: no queue is bound for it. It is stored nowhere.
    UNROUTABLE = "unroutable"
    #: The broker refused it (a queue is full, or failed); other queues may have kept their copy.
    NACKED = "nacked"
    #: No answer in time or the connection was lost: the message may or may not be in the queues.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message to publish, mandatory: an unroutable one comes back instead of vanishing."""

    exchange: str
    routing_key: str
    body: bytes
    properties: pika.BasicProperties


def event_message(event: MediaEvent, traceparent: str | None = None) -> OutgoingMessage:
    """Make the one message that reaches every channel: persistent, with CloudEvents attributes and the trace.

    The headers follow the CloudEvents AMQP binding (prefix ``cloudEvents:``) and W3C Trace Context.
    """
    uploaded = event.uploaded_at.astimezone(UTC)
    headers = {
        SPEC_VERSION: "1.0",
        "cloudEvents:id": event.event_id,
        "cloudEvents:type": EVENT_TYPE,
        "cloudEvents:source": "/mediaflow/ingest",
        "cloudEvents:subject": event.asset_id,
        "cloudEvents:time": uploaded.isoformat().replace("+00:00", "Z"),
    }
    if traceparent:
        headers["traceparent"] = traceparent
    return OutgoingMessage(
        exchange=EXCHANGE,
        routing_key=ROUTING_KEY,
        body=event.to_body(),
        properties=pika.BasicProperties(  # type: ignore[no-untyped-call]
            content_type="application/json",
            delivery_mode=PERSISTENT,
            message_id=event.event_id,
            type=EVENT_TYPE,
            timestamp=int(uploaded.timestamp()),
            headers=headers,
        ),
    )


def event_of(properties: pika.BasicProperties, body: bytes) -> MediaEvent:
    """Read a delivered message. What its properties leave unsaid is taken to be right.

    Raises InvalidEvent for another type of event, another version of CloudEvents, a packed body, or a body that does
    not parse.
    """
    if properties.type and properties.type != EVENT_TYPE:
        raise InvalidEvent(f"the message is of type {properties.type[:64]!r}; this channel works on {EVENT_TYPE!r}")
    if properties.content_encoding and properties.content_encoding.lower() not in ("identity", "utf-8"):
        raise InvalidEvent(f"the body is encoded as {properties.content_encoding[:64]!r}; an event is plain JSON")
    version = (properties.headers or {}).get(SPEC_VERSION, _READABLE_SPEC)
    if not str(version).startswith(_READABLE_SPEC):
        raise InvalidEvent(f"CloudEvents {str(version)[:64]!r} is not known here; {_READABLE_SPEC}x is")
    return MediaEvent.from_body(body)
