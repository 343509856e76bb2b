"""Declares exchanges and queues for all channels, and ends: the command ``mediaflow-topology``.

Where KEDA or somebody else reads queues before the first worker has declared its own, this runs first. It changes
nothing that is there already. No signal is caught: what ends it early must not look like success.
"""

import sys
import time
from collections.abc import Iterable

import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.exceptions import AMQPError, ChannelClosedByBroker

from mq_common.channels import ChannelSpec, load_channels
from mq_common.connection import address, connect, reason_of
from mq_common.errors import BrokerUnreachable
from mq_common.logs import configure_logging, write_out
from mq_common.process import exit_code_of
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, load_settings
from mq_common.topology import declare_channel

log = structlog.get_logger()

#: Seconds between attempts at a broker that answers but can't declare yet: its cluster still forms.
_WAIT_S = 1.0

#: AMQP reply code of what is not there.
_NOT_FOUND = 404


def main() -> int:
    """Declare everything that the channels file asks for; gives the exit code.

    0 when all of it is there, 2 bad configuration, 3 broker not reachable within the start limit, 4 topology mismatch.
    """
    return exit_code_of(_run)


def _run() -> int:
    broker, chosen, logs = load_settings(BrokerSettings, ChannelsSettings, LogSettings)
    configure_logging("topology", logs)
    try:
        declare_patiently(broker, load_channels(chosen.channels, chosen.profile).values())
    finally:
        write_out()
    return 0


def declare_patiently(settings: BrokerSettings, channels: Iterable[ChannelSpec]) -> None:
    """Declare the channels, again and again until the broker does it or the start limit is over.

    Says of each queue whether it was declared or found. Raises BrokerUnreachable, TopologyMismatch, or
    ConfigurationError when the user may not declare.
    """
    specs = list(channels)
    deadline = time.monotonic() + settings.start_limit_s
    patience = settings
    while True:
        try:
            return _declare(patience, specs)
        except (AMQPError, OSError) as error:  # it answered, and was gone before all was declared
            reason = BrokerUnreachable(f"broker at {address(settings)} was lost: {reason_of(error)}")
        except BrokerUnreachable as error:
            reason = error
        left = deadline - time.monotonic() - _WAIT_S
        if left <= 0:
            raise reason
        log.info("declaration_retried", reason=str(reason))
        time.sleep(_WAIT_S)
        patience = settings.model_copy(update={"start_limit_s": round(left, 1)})


def _declare(settings: BrokerSettings, specs: Iterable[ChannelSpec]) -> None:
    connection = connect(settings, "mediaflow topology")
    try:
        for spec in specs:
            names = (spec.dead_letter_queue, spec.queue)
            found = {name: is_there(connection, name) for name in names}
            declare_channel(connection, spec)
            for name in names:
                log.info("queue_found" if found[name] else "queue_declared", channel=spec.name, queue=name)
    finally:
        if connection.is_open:
            connection.close()


def is_there(connection: BlockingConnection, queue: str) -> bool:
    """Tell whether the broker has a queue of that name, whatever its arguments."""
    channel = connection.channel()
    try:
        channel.queue_declare(queue, passive=True)
    except ChannelClosedByBroker as error:
        return bool(error.reply_code != _NOT_FOUND)
    channel.close()
    return True


if __name__ == "__main__":
    sys.exit(main())
