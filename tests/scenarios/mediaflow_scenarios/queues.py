"""The broker's side: queue depths, dead letters, purging."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pika
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection

from local_fleet.addresses import vhost_of
from mq_common.connection import Version, server_version
from mq_common.events import MediaEvent
from mq_common.management import ManagementClient, QueueDepth

NOTHING = QueueDepth(ready=0, unacked=0, total=0, consumers=0)


@dataclass(frozen=True)
class DeadLetter:
    """A message of a dead-letter queue and what the broker wrote on it."""

    asset_id: str
    headers: dict[str, Any]

    @property
    def deaths(self) -> list[dict[str, Any]]:
        """The entries of x-death, latest first."""
        return self.headers.get("x-death", [])

    @property
    def death(self) -> tuple[str, str, int]:
        """The latest death: queue, reason, count."""
        latest = self.deaths[0]
        return latest["queue"], latest["reason"], latest["count"]


class Queues:
    """The queues of the fleet's virtual host."""

    def __init__(self, amqp_url: str, management_url: str) -> None:
        self._amqp_url = amqp_url
        self._vhost = vhost_of(amqp_url)
        self._management = ManagementClient(management_url, vhost=self._vhost)

    @contextmanager
    def connection(self) -> Iterator[BlockingConnection]:
        """Open a connection for a moment."""
        connection = BlockingConnection(pika.URLParameters(self._amqp_url))
        try:
            yield connection
        finally:
            if connection.is_open:
                connection.close()

    @contextmanager
    def channel(self) -> Iterator[BlockingChannel]:
        """Open a channel for a moment."""
        with self.connection() as connection:
            yield connection.channel()

    def version(self) -> Version:
        """Give the broker's (major, minor)."""
        with self.connection() as connection:
            return server_version(connection)

    def depths(self) -> dict[str, QueueDepth]:
        """Give every queue's depth as the management API sees it: a second old here, five elsewhere."""
        return self._management.queue_depths()

    def depth(self, queue: str) -> QueueDepth:
        """Give one queue's depth; nothing when it is not there."""
        return self.depths().get(queue, NOTHING)

    def message_counts(self, queue: str) -> dict[str, int]:
        """Give what the broker has counted of a queue: deliver, redeliver, ack and others."""
        details = self._management._get(f"/api/queues/{quote(self._vhost, safe='')}/{queue}")
        return details.get("message_stats", {})

    def ready(self, *names: str) -> int:
        """Count the ready messages of these queues, as they are now."""
        with self.channel() as channel:
            return sum(int(channel.queue_declare(name, passive=True).method.message_count) for name in names)

    def purge(self, *names: str) -> None:
        """Throw all ready messages away."""
        with self.channel() as channel:
            for name in names:
                channel.queue_purge(name)

    def delete(self, *names: str) -> None:
        """Remove queues."""
        with self.channel() as channel:
            for name in names:
                channel.queue_delete(name)

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Look at all messages of a queue and put them back. (It counts as a delivery: these queues have no limit.)"""
        found = []
        with self.channel() as channel:
            while True:
                method, properties, body = channel.basic_get(queue)
                if method is None or properties is None or body is None:
                    break
                found.append(DeadLetter(MediaEvent.from_body(body).asset_id, dict(properties.headers or {})))
            if found:
                channel.basic_nack(0, multiple=True, requeue=True)
        return found
