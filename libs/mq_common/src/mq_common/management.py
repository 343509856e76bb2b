"""Queues and nodes from RabbitMQ's management API: the only place that tells unacknowledged messages apart."""

import json
import urllib.request
from base64 import b64encode
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from mq_common.binding_keys import reaches
from mq_common.errors import BrokerUnreachable, ConfigurationError

_COLUMNS = "name,messages,messages_ready,messages_unacknowledged,consumers"
_COUNTERS = ("publish", "deliver_get", "ack", "redeliver")
_ALARMS = "name,mem_alarm,mem_used,mem_limit,disk_free_alarm,disk_free,disk_free_limit"


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Messages of one queue. ``stuck`` ones are neither ready nor in flight: they wait for a dead-letter target."""

    ready: int
    unacked: int
    total: int
    consumers: int

    @property
    def stuck(self) -> int:
        """Messages that are in the queue but neither ready nor unacknowledged."""
        return max(0, self.total - self.ready - self.unacked)


@dataclass(frozen=True, slots=True)
class QueueCounters:
    """What ever happened at one queue, counted by the broker since it (or the queue) began; all messages.

    ``delivered`` counts every delivery, ``redelivered`` those that were not the first one.
    """

    published: int
    delivered: int
    acked: int
    redelivered: int


@dataclass(frozen=True, slots=True)
class NodeAlarm:
    """A resource alarm: publishers are blocked. Sizes in bytes, None where the node did not tell them.

    ``memory``: more is used than the limit. ``disk``: less is free than the limit.
    """

    node: str
    resource: Literal["memory", "disk"]
    amount: int | None
    limit: int | None


class ManagementClient:
    """Asks one broker's management API, for example ``http://guest:guest@localhost:15672``."""

    def __init__(self, url: str, *, vhost: str = "/", timeout_s: float = 5.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError("MEDIAFLOW_MANAGEMENT_URL: expected http://user:password@host:15672")
        host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
        self._base = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        credentials = f"{unquote(parts.username or 'guest')}:{unquote(parts.password or 'guest')}"
        self._authorization = f"Basic {b64encode(credentials.encode()).decode()}"
        self._vhost = quote(vhost, safe="")
        self._timeout_s = timeout_s

    def queue_depths(self) -> dict[str, QueueDepth]:
        """Give the depth of every queue of the vhost by name; raises BrokerUnreachable with the reason."""
        rows = self._get(f"/api/queues/{self._vhost}?columns={_COLUMNS}")
        return {row["name"]: _depth(row) for row in rows}

    def queue_traffic(self) -> dict[str, tuple[QueueDepth, QueueCounters | None]]:
        """Give depth and counters of every queue of the vhost by name; raises BrokerUnreachable with the reason.

        No counters: nothing has happened at the queue since the broker began, or it is told to keep none. They are
        late by the broker's statistics interval, five seconds by default, and depths by as much again.
        """
        columns = ",".join((_COLUMNS, *(f"message_stats.{name}" for name in _COUNTERS)))
        rows = self._get(f"/api/queues/{self._vhost}?columns={columns}")
        return {row["name"]: (_depth(row), _counters(row.get("message_stats"))) for row in rows}

    def node_alarms(self) -> tuple[NodeAlarm, ...]:
        """Give the resource alarms that are in force on any node; raises BrokerUnreachable, also without the right.

        RabbitMQ shows nodes only to users with the tag *monitoring* or *administrator*.
        """
        found = []
        for row in self._get(f"/api/nodes?columns={_ALARMS}"):
            if row.get("mem_alarm"):
                found.append(NodeAlarm(row["name"], "memory", row.get("mem_used"), row.get("mem_limit")))
            if row.get("disk_free_alarm"):
                found.append(NodeAlarm(row["name"], "disk", row.get("disk_free"), row.get("disk_free_limit")))
        return tuple(found)

    def queues_reached(self, exchange: str, routing_key: str) -> frozenset[str]:
        """Give the queues that get what is published to a topic exchange with this key; raises BrokerUnreachable.

        Bindings are told as they are now: unlike depths, they don't come from the statistics. None where there is no
        such exchange.
        """
        rows = self._get(f"/api/exchanges/{self._vhost}/{quote(exchange, safe='')}/bindings/source", missing=[])
        return frozenset(
            row["destination"]
            for row in rows
            if row["destination_type"] == "queue" and reaches(routing_key, row["routing_key"])
        )

    def _get(self, path: str, *, missing: Any = None) -> Any:
        request = urllib.request.Request(self._base + path, headers={"Authorization": self._authorization})  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:  # noqa: S310
                return json.load(answer)
        except (URLError, OSError, ValueError) as error:
            if missing is not None and isinstance(error, HTTPError) and error.code == HTTPStatus.NOT_FOUND:
                return missing
            raise BrokerUnreachable(f"management API at {self._base} does not answer: {error}") from None


def _depth(row: dict[str, Any]) -> QueueDepth:
    return QueueDepth(
        ready=row.get("messages_ready", 0),
        unacked=row.get("messages_unacknowledged", 0),
        total=row.get("messages", 0),
        consumers=row.get("consumers", 0),
    )


def _counters(stats: dict[str, int] | None) -> QueueCounters | None:
    return QueueCounters(*(int(stats.get(name, 0)) for name in _COUNTERS)) if stats else None
