"""What every measured program shares: its message, and the line of JSON it ends with."""

import json
import os
import sys
from typing import Any

import pika

from mq_common.events import MediaEvent
from mq_common.messages import OutgoingMessage, event_message


def parameters() -> pika.URLParameters:
    """Give the connection's parameters, from AMQP_URL."""
    return pika.URLParameters(os.environ["AMQP_URL"])


def sample_message(exchange: str, routing_key: str) -> OutgoingMessage:
    """Make the event that ingest publishes for a JSON upload, addressed elsewhere."""
    event = MediaEvent.create(asset_id="bench-0123456789", owner_id="u-1", duration_sec=120)
    message = event_message(event, traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    return OutgoingMessage(exchange, routing_key, message.body, message.properties)


def tell(**figures: Any) -> None:
    """Write the program's result."""
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()
