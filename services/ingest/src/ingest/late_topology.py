"""Declaring the topology after the start, when there was no broker to declare it on."""

import time
from collections.abc import Callable, Iterable

import structlog

from mq_common.channels import ChannelSpec
from mq_common.errors import BrokerUnreachable, ConfigurationError, MediaflowError, TopologyMismatch
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology

log = structlog.get_logger()

#: Seconds of one try: one connect, which a broker that is down refuses at once.
_TRY_S = 0.05
_FIRST_RETRY_S, _LONGEST_RETRY_S = 0.5, 5.0


class LateTopology:
    """Tries until the broker is there; nothing is published before."""

    def __init__(self, broker: BrokerSettings, specs: Iterable[ChannelSpec]) -> None:
        self._broker = broker.model_copy(update={"start_limit_s": _TRY_S})
        self._specs = tuple(specs)
        self._backoff = Backoff(initial_s=_FIRST_RETRY_S, max_s=_LONGEST_RETRY_S)
        self._not_before = 0.0

    def declare(self, clock: Callable[[], float] = time.monotonic) -> bool:
        """Try once, if it is time to; True when the broker has been found.

        What exists with other arguments, or may not be declared, is said in the log and left: uploads have been
        accepted already, and a queue that exists takes their events.
        """
        if clock() < self._not_before:
            return False
        try:
            declare_topology(self._broker, self._specs)
        except BrokerUnreachable:
            self._not_before = clock() + self._backoff.next()
            return False
        except (TopologyMismatch, ConfigurationError) as error:
            _report_left(error)
        else:
            log.info("topology_declared_late")
        return True


def _report_left(error: MediaflowError) -> None:
    log.error("topology_not_declared", error=str(error), tip="put it right: a start with the broker up ends over it")
