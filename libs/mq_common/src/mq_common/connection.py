"""Connections to the broker: parameters with every time-out set, and a bounded, patient first connect."""

import re
import time
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

import pika
import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.exceptions import AMQPConnectionError, AMQPError

from mq_common.errors import BrokerUnreachable, ConfigurationError
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

Version = tuple[int, int]


def connection_parameters(settings: BrokerSettings, name: str) -> pika.URLParameters:
    """Give Pika's parameters for AMQP_URL, with the connection's ``name`` as operators see it in the management UI.

    Pika waits for ever on a blocked broker unless told otherwise, so no time-out is left at its default.
    Raises ConfigurationError when the address does not parse.
    """
    try:
        parameters = pika.URLParameters(settings.amqp_url.get_secret_value())
    except (ValueError, TypeError, IndexError):
        raise ConfigurationError(
            "AMQP_URL: not a valid address; expected amqp://user:password@host:5672/vhost"
        ) from None
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

    Raises BrokerUnreachable with the last reason when the limit is over or ``stop()`` says so.
    """
    parameters = connection_parameters(settings, name)
    limit = settings.start_limit_s if limit_s is None else limit_s
    deadline = time.monotonic() + limit
    # At the start the broker is probably starting too; later a herd of workers must not storm one that recovers.
    backoff = Backoff(initial_s=0.1, max_s=0.5 if limit_s is None else 5.0)
    said = ""
    while True:
        try:
            return BlockingConnection(parameters)
        except (AMQPConnectionError, OSError) as error:
            reason = reason_of(error)
        wait = backoff.next()
        if stop() or time.monotonic() + wait > deadline:
            raise BrokerUnreachable(f"broker at {address(settings)} not reachable in {limit:g} s: {reason}")
        if reason != said:  # once for each reason, not for each of its many tries
            said = reason
            log.info("broker_connect_retried", address=address(settings), reason=reason, limit_s=limit)
        sleep_until(time.monotonic() + wait, stop)


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
    """Name the broker as host:port, without the user's name and password."""
    parts = urlsplit(settings.amqp_url.get_secret_value())
    return f"{parts.hostname or 'localhost'}:{parts.port or (5671 if parts.scheme == 'amqps' else 5672)}"


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
