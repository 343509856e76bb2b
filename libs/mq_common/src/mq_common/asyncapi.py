"""The event's contract for others: JSON Schema of the body, AsyncAPI 3.0 of where it travels."""

from collections.abc import Iterable
from typing import Any

from mq_common.channels import ChannelSpec
from mq_common.events import EVENT_TYPE, MediaEvent
from mq_common.topology import BINDING_KEY, EXCHANGE, ROUTING_KEY, queue_arguments


def event_schema() -> dict[str, Any]:
    """Give the JSON Schema (2020-12) of the event's body."""
    schema = MediaEvent.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def asyncapi_document(channels: Iterable[ChannelSpec]) -> dict[str, Any]:
    """Give the AsyncAPI 3.0 document: the exchange that takes the event and the queue of each channel."""
    specs = list(channels)
    addresses: dict[str, Any] = {"uploads": _exchange()}
    operations: dict[str, Any] = {
        "publishUpload": {
            "action": "send",
            "channel": {"$ref": "#/channels/uploads"},
            "summary": f"Once for each upload, with routing key {ROUTING_KEY}, persistent and mandatory.",
        }
    }
    for spec in specs:
        addresses[spec.name] = _queue(spec)
        operations[f"work-{spec.name}"] = {
            "action": "receive",
            "channel": {"$ref": f"#/channels/{spec.name}"},
            "summary": f"Acknowledged after the work; what can't be done ends in {spec.dead_letter_queue}.",
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Mediaflow events",
            "version": "1.0.0",
            "description": f"One event is published for each upload; every queue bound with {BINDING_KEY} gets a copy.",
        },
        "defaultContentType": "application/json",
        "channels": addresses,
        "operations": operations,
        "components": {"messages": {"mediaUploaded": _message()}},
    }


def _message() -> dict[str, Any]:
    return {
        "name": EVENT_TYPE,
        "title": "A video was uploaded",
        "contentType": "application/json",
        "headers": {
            "type": "object",
            "properties": {
                "traceparent": {"type": "string", "description": "W3C Trace Context"},
                "cloudEvents:id": {"type": "string", "description": "CloudEvents id: the event's id"},
                "cloudEvents:type": {"const": EVENT_TYPE},
                "cloudEvents:specversion": {"const": "1.0"},
            },
        },
        "payload": event_schema(),
    }


def _exchange() -> dict[str, Any]:
    return {
        "address": ROUTING_KEY,
        "messages": {"mediaUploaded": {"$ref": "#/components/messages/mediaUploaded"}},
        "bindings": {
            "amqp": {
                "is": "routingKey",
                "exchange": {"name": EXCHANGE, "type": "topic", "durable": True, "autoDelete": False, "vhost": "/"},
            }
        },
    }


def _queue(spec: ChannelSpec) -> dict[str, Any]:
    return {
        "address": spec.queue,
        "description": f"Quorum queue, bound to {EXCHANGE} with {BINDING_KEY}; arguments: {queue_arguments(spec)}",
        "messages": {"mediaUploaded": {"$ref": "#/components/messages/mediaUploaded"}},
        "bindings": {
            "amqp": {
                "is": "queue",
                "queue": {"name": spec.queue, "durable": True, "exclusive": False, "autoDelete": False, "vhost": "/"},
            }
        },
    }
