"""Reads the broker for the page: once a second, for all viewers.

What comes from where:

- which channels there are: the bindings of the topic exchange (management API, as they are now, every five seconds);
- ready messages and consumers: passive declarations over one AMQP connection, exact at the moment of the look;
- unacknowledged and all messages, and the counters (published, delivered, acknowledged, delivered again): one request
  to the management API, late by the broker's statistics: a second on the local fleet's private node, five to ten
  seconds on a broker with RabbitMQ's defaults;
- resource alarms: the management API, every five seconds, where its user may see the nodes.

Neither way touches a message. Only what RabbitMQ 3.10 and 4.x both tell is used.
"""

import time
from collections.abc import Callable

import structlog

from console.fleet.channel_watch import dead_letter_queue
from console.fleet.looks import QueueReading, Reading
from mq_common.connection import connection_parameters
from mq_common.errors import BrokerUnreachable, ConfigurationError
from mq_common.management import ManagementClient, NodeAlarm, QueueCounters, QueueDepth
from mq_common.ready_messages import Declared, ReadyMessages
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

#: Seconds that one question may take: a page that waits longer says that the broker is gone.
PATIENCE_S = 2.0
#: Seconds after which a connection without a word is given up: a passive declaration has no time-out of its own.
HEARTBEAT_S = 10
#: Seconds between two looks at the nodes' alarms.
ALARMS_S = 5.0


class BrokerReader:
    """For one thread; connects when first asked."""

    def __init__(self, settings: BrokerSettings, *, clock: Callable[[], float] = time.time) -> None:
        bounds = {
            "connect_timeout_s": min(PATIENCE_S, settings.connect_timeout_s),
            "heartbeat_s": min(HEARTBEAT_S, settings.heartbeat_s),
        }
        self._settings = settings.model_copy(update=bounds)
        self._clock = clock
        self._ready: ReadyMessages | None = None
        self._management: ManagementClient | None = None
        self._alarms: tuple[NodeAlarm, ...] = ()
        self._next_alarms = 0.0
        self._alarms_unreadable = False

    def read(self) -> Reading:
        """Give every queue as it is now. Raises BrokerUnreachable; ConfigurationError where an address is missing."""
        ready, management = self._open()
        traffic = management.queue_traffic()
        dead = {dead_letter_queue(name) for name in traffic} & set(traffic)
        declared, work_queues = ready.look(dead)
        alarms = self._read_alarms(management)
        queues = {
            name: _reading(declared.get(name), *traffic.get(name, (None, None))) for name in {*traffic, *work_queues}
        }
        return Reading(self._clock(), queues, work_queues, alarms)

    def close(self) -> None:
        """Close the connection; the next ``read`` opens another one."""
        if self._ready is not None:
            self._ready.close()

    def _open(self) -> tuple[ReadyMessages, ManagementClient]:
        if self._ready is None or self._management is None:
            if self._settings.management_url is None:
                raise ConfigurationError("MEDIAFLOW_MANAGEMENT_URL: needed to see the queues")
            vhost = str(connection_parameters(self._settings, "console")[0].virtual_host)
            url = self._settings.management_url.get_secret_value()
            self._management = ManagementClient(url, vhost=vhost, timeout_s=PATIENCE_S)
            self._ready = ReadyMessages(self._settings, name="console")
        return self._ready, self._management

    def _read_alarms(self, management: ManagementClient) -> tuple[NodeAlarm, ...]:
        if self._clock() >= self._next_alarms:
            self._next_alarms = self._clock() + ALARMS_S
            try:
                self._alarms = management.node_alarms()
                self._alarms_unreadable = False
            except BrokerUnreachable as error:
                self._alarms = ()
                if not self._alarms_unreadable:  # once, not every five seconds
                    log.warning("alarms_unreadable", error=str(error), tip="the broker's user needs the tag monitoring")
                self._alarms_unreadable = True
        return self._alarms


def _reading(declared: Declared | None, depth: QueueDepth | None, counters: QueueCounters | None) -> QueueReading:
    """Put the exact and the late together, so that the sum still holds: what is ready now counts as ready."""
    depth = depth or QueueDepth(0, 0, 0, 0)
    ready = depth.ready if declared is None else declared.ready
    return QueueReading(
        ready=ready,
        unacked=depth.unacked,
        total=max(0, depth.total - depth.ready) + ready,
        consumers=depth.consumers if declared is None else declared.consumers,
        published=counters.published if counters else None,
        delivered=counters.delivered if counters else None,
        acked=counters.acked if counters else None,
        redelivered=counters.redelivered if counters else None,
    )
