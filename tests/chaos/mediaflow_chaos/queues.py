"""What the queues hold, read message by message when nobody consumes any more."""

import json
from collections.abc import Iterable
from typing import Any

import pika
from pika.exceptions import AMQPError

from mediaflow_chaos.checker import CouldNotCheck
from mediaflow_chaos.evidence import Message
from mq_common.management import ManagementClient
from mq_common.node_addresses import node_urls

#: A queue that gives fewer than so many messages in so many seconds gives only what is being published.
_TRICKLE, _QUIET_S = 50, 0.3


def connected(amqp_url: str) -> pika.BlockingConnection:
    """Connect to whichever node answers first."""
    return pika.BlockingConnection([pika.URLParameters(url) for url in node_urls(amqp_url)])


def messages_in(amqp_url: str, queue: str) -> list[Message]:
    """Read every message of a queue; they stay in it. Raises CouldNotCheck unless all of them were seen."""
    try:
        with connected(amqp_url) as connection:
            channel = connection.channel()
            expected = channel.queue_declare(queue, passive=True).method.message_count
            found = []
            while len(found) < expected:
                method, properties, body = channel.basic_get(queue)
                if method is None:
                    break
                found.append(_message(properties, body))
            left, _, _ = channel.basic_get(queue)
    except (AMQPError, OSError) as error:
        raise CouldNotCheck(f"{queue} can't be read: {error!r}") from error
    if len(found) != expected or left is not None:
        raise CouldNotCheck(f"{queue} changed while it was read: {expected} messages were there, {len(found)} seen")
    return found


def take_all(connection: pika.BlockingConnection, queue: str) -> set[str]:
    """Take every ready message of a queue, and what still comes, without an answer; gives the assets as they come.

    Whoever deletes the queue then knows what was in it, but for what others held. When it is not deleted, the messages
    go back with the end of the connection.
    """
    taken: set[str] = set()
    channel = connection.channel()
    channel.basic_consume(queue, lambda _, __, properties, body: taken.add(_message(properties, body).asset_id))
    while True:
        before = len(taken)
        connection.process_data_events(time_limit=_QUIET_S)
        if len(taken) - before < _TRICKLE:
            return taken


def _message(properties: Any, body: bytes) -> Message:
    try:
        event = json.loads(body)
        asset, event_id = str(event["assetId"]), str(event["eventId"])
    except (ValueError, TypeError, KeyError):
        asset, event_id = "?", str(properties.message_id)
    headers = properties.headers or {}
    death = (headers.get("x-death") or [{}])[0]
    reason = str(death.get("reason") or headers.get("x-first-death-reason") or "")
    return Message(asset, event_id, reason, str(death.get("queue", "")))


def unfinished(management_url: str, vhost: str, queues: Iterable[str]) -> dict[str, int]:
    """Give, for each of the queues that is not empty, how many messages it counts, whatever their state."""
    depths = ManagementClient(management_url, vhost=vhost, timeout_s=10).queue_depths()
    return {queue: depths[queue].total for queue in queues if queue in depths and depths[queue].total}


def total_in(management_url: str, vhost: str, queue: str) -> int:
    """Count all messages of a queue, those that it does not show too. Raises CouldNotCheck when there is no queue."""
    depths = ManagementClient(management_url, vhost=vhost, timeout_s=10).queue_depths()
    if queue not in depths:
        raise CouldNotCheck(f"{queue} is not there")
    return depths[queue].total
