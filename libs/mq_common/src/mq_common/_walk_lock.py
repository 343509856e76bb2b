"""One walk through a dead-letter queue at a time, whatever machine it is on."""

import time
from collections.abc import Callable

import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.exceptions import ChannelClosedByBroker

from mq_common.connection import sleep_until
from mq_common.errors import MediaflowError

log = structlog.get_logger()

#: Seconds between two tries to be the only one.
_RETRY_S = 0.1
#: AMQP's reply code.
_LOCKED = 405


class Busy(MediaflowError):
    """Somebody else goes through the dead-letter queue now."""


def lock_walk(connection: BlockingConnection, name: str, deadline: float, stop: Callable[[], bool]) -> None:
    """Declare a queue that only one connection can have; it goes away with the connection, however that ends.

    ``deadline``: monotonic seconds. Raises Busy when another connection has it until then, or until ``stop()``.
    """
    said = False
    while True:
        trying = connection.channel()
        try:
            trying.queue_declare(name, exclusive=True)
        except ChannelClosedByBroker as error:
            if error.reply_code != _LOCKED:
                raise
            if stop() or time.monotonic() > deadline:
                raise Busy(f"{name.removesuffix('.lock')}: another replay, or a look, is going on there") from None
        else:
            trying.close()
            return
        if not said:
            log.info("waiting_for_another_walk", lock=name)
        said = True
        sleep_until(time.monotonic() + _RETRY_S, stop)
