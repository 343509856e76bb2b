"""Exchanges, queues and bindings, declared dead-letter side first, and right on RabbitMQ 3.10 to 4.3."""

import re
from collections.abc import Iterable
from typing import Any

import structlog
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import ChannelClosedByBroker

from mq_common.channels import ChannelSpec
from mq_common.connection import Version, connect, server_version
from mq_common.errors import BrokerUnreachable, ConfigurationError, MediaflowError, TopologyMismatch
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

EXCHANGE = "media.topic"
DEAD_LETTER_EXCHANGE = "media.dlx"
#: One publish with this key reaches every channel's queue.
ROUTING_KEY = "media.all"
BINDING_KEY = "media.*"

#: Seconds the broker waits for an ack beyond the job's own time limit before it takes the message back.
CONSUMER_TIMEOUT_MARGIN_S = 300

#: From this version on a quorum queue has a delivery limit unless -1 says "unlimited"; before it, -1 drops messages.
UNLIMITED_IS_MINUS_ONE: Version = (4, 0)

#: AMQP reply codes.
ACCESS_REFUSED = 403
PRECONDITION_FAILED = 406

_MISMATCH = re.compile(
    r"inequivalent arg '(?P<argument>[^']+)' for (?P<kind>queue|exchange) '(?P<name>[^']+)'.*?"
    r"received (?P<ours>.+?) but current is (?P<theirs>.+)$"
)


def queue_arguments(spec: ChannelSpec) -> dict[str, Any]:
    """Give the work queue's arguments.

    At-least-once dead-lettering needs reject-publish and a dead-letter exchange. Without the dead-letter routing key a
    replayed message, which comes through the default exchange, would vanish at its second death.
    """
    arguments: dict[str, Any] = {
        "x-queue-type": "quorum",
        "x-delivery-limit": spec.delivery_limit,
        "x-dead-letter-exchange": DEAD_LETTER_EXCHANGE,
        "x-dead-letter-routing-key": spec.name,
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
        "x-consumer-timeout": int((spec.job_time_limit_s + CONSUMER_TIMEOUT_MARGIN_S) * 1000),
    }
    if spec.max_length is not None:
        arguments["x-max-length"] = spec.max_length
    return arguments


def dead_letter_queue_arguments(version: Version) -> dict[str, Any]:
    """Give the dead-letter queue's arguments: it must never drop, however often somebody looks at it."""
    arguments: dict[str, Any] = {"x-queue-type": "quorum"}
    if version >= UNLIMITED_IS_MINUS_ONE:
        arguments["x-delivery-limit"] = -1
    return arguments


def declare_topology(settings: BrokerSettings, channels: Iterable[ChannelSpec]) -> None:
    """Connect, declare the exchanges and every channel's queues, and disconnect.

    Raises BrokerUnreachable, or TopologyMismatch when something exists with other arguments.
    """
    connection = connect(settings, "mediaflow topology")
    try:
        for spec in channels:
            declare_channel(connection, spec)
    finally:
        if connection.is_open:
            connection.close()


def declare_channel(connection: BlockingConnection, spec: ChannelSpec) -> None:
    """Declare the exchanges and one channel's two queues and bindings; what exists already stays.

    The dead-letter side comes first: a message that dies before its dead-letter queue is bound would stay stuck.
    """
    version = server_version(connection)
    _declare_dead_letter_side(connection, spec, version)
    channel = connection.channel()
    try:
        channel.exchange_declare(EXCHANGE, "topic", durable=True)
        channel.queue_declare(spec.queue, durable=True, arguments=queue_arguments(spec))
        channel.queue_bind(spec.queue, EXCHANGE, BINDING_KEY)
    except ChannelClosedByBroker as error:
        raise _refusal(error, spec.queue) from error
    channel.close()


def _declare_dead_letter_side(connection: BlockingConnection, spec: ChannelSpec, version: Version) -> None:
    channel = connection.channel()
    try:
        channel.exchange_declare(DEAD_LETTER_EXCHANGE, "direct", durable=True)
        channel.queue_declare(spec.dead_letter_queue, durable=True, arguments=dead_letter_queue_arguments(version))
    except ChannelClosedByBroker as error:
        if not _predates_unlimited(error):
            raise _refusal(error, spec.dead_letter_queue) from error
        channel = _keep_older_dead_letter_queue(connection, spec)
    channel.queue_bind(spec.dead_letter_queue, DEAD_LETTER_EXCHANGE, spec.name)
    channel.close()


def _predates_unlimited(error: ChannelClosedByBroker) -> bool:
    """Tell whether the queue was declared on RabbitMQ 3, where "unlimited" had to be left unsaid."""
    found = _MISMATCH.search(error.reply_text)
    return bool(
        found and found["argument"] == "x-delivery-limit" and "-1" in found["ours"] and "none" in found["theirs"]
    )


def _keep_older_dead_letter_queue(connection: BlockingConnection, spec: ChannelSpec) -> BlockingChannel:
    """Accept a dead-letter queue from before the broker's upgrade: refusing it would stop the fleet for no loss yet."""
    _warn_of_default_limit(spec.dead_letter_queue)
    channel = connection.channel()
    channel.queue_declare(spec.dead_letter_queue, durable=True, arguments=dead_letter_queue_arguments((3, 0)))
    return channel


def check_dead_letter_limit(connection: BlockingConnection, queue: str) -> None:
    """Warn when a dead-letter queue, which has to be there, may limit deliveries: every look at it would cost one.

    Whether a policy lifts the limit can't be seen from here.
    """
    version = server_version(connection)
    if version < UNLIMITED_IS_MINUS_ONE:
        return
    channel = connection.channel()
    try:
        channel.queue_declare(queue, durable=True, arguments=dead_letter_queue_arguments(version))
    except ChannelClosedByBroker as error:
        if _predates_unlimited(error):
            _warn_of_default_limit(queue)
    else:
        channel.close()


def _warn_of_default_limit(queue: str) -> None:
    log.warning(
        "dead_letter_queue_has_default_limit",
        queue=queue,
        tip="declared on RabbitMQ 3, so unless a policy says otherwise the default limit of 20 deliveries applies now "
        "and every look costs one; lift it with: rabbitmqctl set_policy --apply-to quorum_queues mediaflow-dlq "
        "'^media\\..*\\.dlq$' '{\"delivery-limit\": -1}'",
    )


def _refusal(error: ChannelClosedByBroker, queue: str) -> MediaflowError:
    if error.reply_code == PRECONDITION_FAILED:
        return TopologyMismatch(explain_mismatch(error.reply_text, queue))
    if error.reply_code == ACCESS_REFUSED:
        return ConfigurationError(f"AMQP_URL: the user may not declare {queue}: {error.reply_text}")
    return BrokerUnreachable(f"{queue} can't be declared now: {error.reply_code} {error.reply_text}")


def explain_mismatch(text: str, queue: str) -> str:
    """Turn the broker's refusal into one line: what exists, which argument, both values, and the way out."""
    found = _MISMATCH.search(text)
    if not found:
        return f"{queue} can't be declared: {text}"
    ours, theirs = _value(found["ours"]), _value(found["theirs"])
    way_out = (
        "set the channels file to the broker's value, or drain the queue, delete it and start again"
        if found["kind"] == "queue"
        else "delete the exchange (its bindings go with it) and start again"
    )
    return (
        f"{found['kind']} {found['name']} exists with {found['argument']} = {theirs}, "
        f"but the channels file wants {ours}; {way_out}"
    )


def _value(text: str) -> str:
    """Read "the value '5' of type 'signedint'" as 5, and "none" as none."""
    quoted = re.search(r"'([^']*)'", text)
    return quoted[1] if quoted else text.strip()
