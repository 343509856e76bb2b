"""Connections to the broker: parameters with every time-out set, and a bounded, patient first connect."""

import random
import re
import time
from collections.abc import Callable, Sequence
from typing import cast

import pika
import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.adapters.utils.connection_workflow import AMQPConnectorException
from pika.exceptions import AMQPConnectionError, AMQPError

from mq_common.errors import BrokerUnreachable, ConfigurationError
from mq_common.node_addresses import host_and_port, node_urls
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

Version = tuple[int, int]


def connection_parameters(settings: BrokerSettings, name: str) -> list[pika.URLParameters]:
    """Give Pika's parameters for each node in AMQP_URL, with the connection's ``name`` as the management UI shows it.

    The order is drawn anew, so that clients spread over the nodes. Raises ConfigurationError when an address does not
    parse.
    """
    try:
        nodes = [_parameters(url, settings, name) for url in node_urls(settings.amqp_url.get_secret_value())]
    except (ValueError, TypeError, IndexError):
        raise ConfigurationError(
            "AMQP_URL: not a valid address; expected amqp://user:password@host:5672/vhost"
        ) from None
    random.shuffle(nodes)
    return nodes


def _parameters(url: str, settings: BrokerSettings, name: str) -> pika.URLParameters:
    """Pika waits for ever on a blocked broker unless told otherwise, so no time-out is left at its default."""
    parameters = pika.URLParameters(url)
    parameters.heartbeat = settings.heartbeat_s
    parameters.blocked_connection_timeout = None  # publishers time out by message, consumers may outwait an alarm
    parameters.socket_timeout = settings.connect_timeout_s
    parameters.stack_timeout = settings.connect_timeout_s + 5
    parameters.client_properties = {"connection_name": name, "product": "mediaflow"}
    return parameters


def connect(
    settings: BrokerSettings, name: str, *, limit_s: float | None = None, stop: Callable[[], bool] = lambda: False
) -> BlockingConnection:
    """Open a blocking connection, trying again with growing waits for ``limit_s`` seconds (default: the start limit).

    Every node in AMQP_URL is tried before there is a wait. Raises BrokerUnreachable with the last reason when the limit
    is over or ``stop()`` says so.
    """
    nodes = connection_parameters(settings, name)
    limit = settings.start_limit_s if limit_s is None else limit_s
    deadline = time.monotonic() + limit
    # At the start the broker is probably starting too; later a herd of workers must not storm one that recovers.
    backoff = Backoff(initial_s=0.1, max_s=0.5 if limit_s is None else 5.0)
    said = ""
    while True:
        connection, reason = _first_that_answers(nodes, stop)
        if connection is not None:
            return connection
        wait = backoff.next()
        if stop() or time.monotonic() + wait > deadline:
            raise BrokerUnreachable(f"broker at {address(settings)} not reachable in {limit:g} s: {reason}")
        if reason != said:  # once for each reason, not for each of its many tries
            said = reason
            log.info("broker_connect_retried", address=address(settings), reason=reason, limit_s=limit)
        sleep_until(time.monotonic() + wait, stop)


def _first_that_answers(
    nodes: Sequence[pika.URLParameters], stop: Callable[[], bool]
) -> tuple[BlockingConnection | None, str]:
    """Try one node after the other; gives the last one's reason when none answers.

    Not left to Pika, which would try all in one call: with hung nodes that takes longer than workers may be silent.
    """
    reason = ""
    for parameters in nodes:
        try:
            return BlockingConnection(parameters), ""
        except (AMQPConnectionError, AMQPConnectorException, OSError) as error:
            reason = reason_of(error)
        if stop():
            break
    return None, reason


def sleep_until(moment: float, stop: Callable[[], bool]) -> None:
    """Wait until ``moment`` (monotonic seconds), looking at ``stop()`` ten times a second."""
    while not stop() and (left := moment - time.monotonic()) > 0:
        time.sleep(min(left, 0.1))


def server_version(connection: BlockingConnection | pika.SelectConnection) -> Version:
    """Give the broker's (major, minor), as it told when the connection was opened."""
    # BlockingConnection does not pass on what its inner connection learnt; there is no public way to it.
    inner = connection._impl if isinstance(connection, BlockingConnection) else connection
    properties = inner.server_properties or {}
    return parse_version(str(properties.get("version", "")))


def parse_version(text: str) -> Version:
    """Read "4.0.5" or "3.13.7-rc.1" as (4, 0) and (3, 13); an unreadable version counts as the newest."""
    match = re.match(r"(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (99, 0)


def address(settings: BrokerSettings) -> str:
    """Name the broker as host:port, without the user's name and password; several nodes with commas."""
    nodes = (host_and_port(url) for url in node_urls(settings.amqp_url.get_secret_value()))
    return ", ".join(f"{host}:{port}" for host, port in nodes)


def reason_of(error: BaseException) -> str:
    """Say in a few words why Pika failed: it nests the cause, and some of its errors have an empty text."""
    inner: BaseException | None = error
    while inner is not None:
        arguments = getattr(inner, "args", ())
        nested = next((item for item in arguments if isinstance(item, BaseException)), None)
        nested = nested or cast("BaseException | None", getattr(inner, "exception", None))
        if nested is None:
            break
        inner = nested
    text = str(inner).strip() if inner is not None else ""
    kind = type(inner).__name__
    if isinstance(inner, AMQPError) and not text:
        return kind
    return f"{kind}: {text}" if text else kind
