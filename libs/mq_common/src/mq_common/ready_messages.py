"""How many messages wait in each queue that uploads reach: exact, and cheap enough to ask several times a second."""

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import AMQPError, ChannelClosedByBroker

from mq_common.connection import connect, connection_parameters, reason_of
from mq_common.errors import BrokerUnreachable, ConfigurationError
from mq_common.management import ManagementClient
from mq_common.settings import BrokerSettings
from mq_common.topology import EXCHANGE, ROUTING_KEY

log = structlog.get_logger()

#: Seconds between two looks for queues. A channel added while everything runs counts after this time.
DISCOVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Declared:
    """What a passive declaration tells of a queue: messages that wait, and consumers."""

    ready: int
    consumers: int


class ReadyMessages:
    """Reads the ready messages of every queue that uploads are routed to. For one thread; connects when first asked.

    The queues come from the broker's bindings (management API), the counts from passive declarations over AMQP: those
    are exact at once, where the statistics of quorum queues are up to five seconds old. Messages that a worker holds
    do not count; ``x-max-length`` does not count them either, and prefetch bounds them. Dead-letter queues are bound
    to another exchange and so never seen here.
    """

    def __init__(self, settings: BrokerSettings, *, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Raise ConfigurationError when the management API's address is missing or wrong."""
        if settings.management_url is None:
            raise ConfigurationError("MEDIAFLOW_MANAGEMENT_URL: needed to find the queues behind the exchange")
        vhost = str(connection_parameters(settings, name)[0].virtual_host)
        self._management = ManagementClient(settings.management_url.get_secret_value(), vhost=vhost)
        self._settings = settings
        self._name = name
        self._clock = clock
        self._queues: frozenset[str] = frozenset()
        self._unreadable: frozenset[str] = frozenset()
        self._next_discovery = float("-inf")
        self._discovery_failed = False
        self._connection: BlockingConnection | None = None
        self._channel: BlockingChannel | None = None

    def read(self) -> dict[str, int]:
        """Give the ready messages by queue; raises BrokerUnreachable when the broker can't tell, or knows no queue."""
        self._discover()
        if not self._queues:
            raise BrokerUnreachable(f"no queue is bound to {EXCHANGE}, by the broker behind MEDIAFLOW_MANAGEMENT_URL")
        return {queue: declared.ready for queue, declared in self._declare(self._queues).items()}

    def look(self, others: Iterable[str] = ()) -> tuple[dict[str, Declared], frozenset[str]]:
        """Give ready messages and consumers by queue, and which of the queues uploads reach; none is fine, too.

        ``others`` are looked at as well; one that is gone by now is left out. Raises BrokerUnreachable.
        """
        self._discover()
        declared = self._declare(self._queues | frozenset(others))
        return declared, self._queues

    def _declare(self, queues: Iterable[str]) -> dict[str, Declared]:
        found = {}
        try:
            for queue in sorted(queues):
                if (declared := self._count(queue)) is not None:
                    found[queue] = declared
        except (AMQPError, OSError) as error:
            self.close()
            raise BrokerUnreachable(f"queue depths can't be read: {reason_of(error)}") from None
        return found

    def close(self) -> None:
        """Close the connection; the next ``read`` opens another one."""
        connection, self._connection, self._channel = self._connection, None, None
        if connection is not None:
            with contextlib.suppress(AMQPError, OSError):
                connection.close()

    def _discover(self) -> None:
        """Find the queues. What was found before stays in force while the management API does not answer."""
        if self._queues and self._clock() < self._next_discovery:
            return
        try:
            found = self._management.queues_reached(EXCHANGE, ROUTING_KEY)
        except BrokerUnreachable as error:
            if self._next_discovery == float("-inf"):
                raise
            if not self._discovery_failed:  # once for each failure, not for each try
                log.warning("queue_discovery_failed", error=str(error), tip="the queues found before are still watched")
            self._discovery_failed = True
        else:
            self._discovery_failed = False
            self._queues = found - self._unreadable
        self._next_discovery = self._clock() + DISCOVERY_S

    def _count(self, queue: str) -> Declared | None:
        if self._channel is None or not self._channel.is_open:
            if self._connection is None or not self._connection.is_open:
                self._connection = connect(self._settings, self._name, limit_s=0)
            self._channel = self._connection.channel()
        try:
            told = self._channel.queue_declare(queue, passive=True).method
            return Declared(int(told.message_count), int(told.consumer_count))
        except ChannelClosedByBroker as error:
            self._leave_out(queue, error)
            return None

    def _leave_out(self, queue: str, error: ChannelClosedByBroker) -> None:
        """Look no more at a queue that is gone (until it is found again) or is another connection's own."""
        self._queues -= {queue}
        if error.reply_code == _NOT_FOUND:
            return
        self._unreadable |= {queue}
        log.warning("queue_depth_unreadable", queue=queue, reason=error.reply_text, tip="this queue is left out")


#: AMQP reply code.
_NOT_FOUND = 404
