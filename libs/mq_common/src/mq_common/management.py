"""Queue depths from RabbitMQ's management API: the only place that tells unacknowledged messages apart."""

import json
import urllib.request
from base64 import b64encode
from dataclasses import dataclass
from typing import Any
from urllib.error import URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from mq_common.binding_keys import reaches
from mq_common.errors import BrokerUnreachable, ConfigurationError

_COLUMNS = "name,messages,messages_ready,messages_unacknowledged,consumers"


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
        return {
            row["name"]: QueueDepth(
                ready=row.get("messages_ready", 0),
                unacked=row.get("messages_unacknowledged", 0),
                total=row.get("messages", 0),
                consumers=row.get("consumers", 0),
            )
            for row in rows
        }

    def queues_reached(self, exchange: str, routing_key: str) -> frozenset[str]:
        """Give the queues that get what is published to a topic exchange with this key; raises BrokerUnreachable.

        Bindings are told as they are now: unlike depths, they don't come from the statistics.
        """
        rows = self._get(f"/api/exchanges/{self._vhost}/{quote(exchange, safe='')}/bindings/source")
        return frozenset(
            row["destination"]
            for row in rows
            if row["destination_type"] == "queue" and reaches(routing_key, row["routing_key"])
        )

    def _get(self, path: str) -> Any:
        request = urllib.request.Request(self._base + path, headers={"Authorization": self._authorization})  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:  # noqa: S310
                return json.load(answer)
        except (URLError, OSError, ValueError) as error:
            raise BrokerUnreachable(f"management API at {self._base} does not answer: {error}") from None
