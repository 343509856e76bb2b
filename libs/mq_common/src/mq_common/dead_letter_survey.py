"""A look at a dead-letter queue: everything in it is read, and all of it stays as it was."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.exceptions import AMQPError

from mq_common.channels import ChannelSpec
from mq_common.connection import address, connect, reason_of
from mq_common.dead_letter_records import Records, RecordsUnavailable, Stage
from mq_common.dead_letter_walk import DeadLetterWalk
from mq_common.dead_letters import DeadLetter
from mq_common.errors import BrokerUnreachable
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

#: Batches of letters that wait for their records at most, and bytes of their bodies.
_MOST_BATCHES = 64
_MOST_BYTES = 64 * 1024 * 1024
_POLL_S = 0.005


def survey(
    settings: BrokerSettings,
    spec: ChannelSpec,
    *,
    records: Records | None = None,
    wait_s: float = 5.0,
    stop: Callable[[], bool] = lambda: False,
    began: Callable[[int], None] = lambda depth: None,
) -> Iterator[DeadLetter]:
    """Give every dead letter of a channel, from the queue's front, with what is kept about it.

    Costs the messages nothing: dead-letter queues allow any number of returns, and the order is kept. ``wait_s``:
    seconds to wait for a replay that is going on. ``began`` is told how many there are, once the queue is ours.
    Letters whose records are not readable come without. Raises BrokerUnreachable and ``dead_letter_walk.Busy``.
    Without all of the letters being taken from it, close the iterator.
    """
    connection = connect(settings, f"mediaflow look at {spec.dead_letter_queue}", stop=stop)
    try:
        yield from survey_over(connection, spec, records=records, wait_s=wait_s, stop=stop, began=began)
    except (AMQPError, OSError) as error:
        raise BrokerUnreachable(
            f"the connection to the broker at {address(settings)} was lost: {reason_of(error)}"
        ) from error
    finally:
        with suppress(AMQPError, OSError):
            connection.close()


def survey_over(
    connection: BlockingConnection,
    spec: ChannelSpec,
    *,
    records: Records | None = None,
    wait_s: float = 5.0,
    stop: Callable[[], bool] = lambda: False,
    began: Callable[[int], None] = lambda depth: None,
) -> Iterator[DeadLetter]:
    """Do the same over a connection that is there; raises Pika's errors too."""
    walk = DeadLetterWalk(connection, spec)
    began(walk.begin(wait_s=wait_s, stop=stop))
    looked_up = Stage(records)
    waiting = 0
    try:
        while not walk.at_end and not stop():
            letters = [DeadLetter.read(*found) for found in walk.turn(_POLL_S)]
            for letter in letters:
                walk.hold(letter.tag)
            if records is None:
                yield from letters
                continue
            looked_up.put(letters, _filling(records))
            waiting += sum(len(letter.body) for letter in letters)
            letters.clear()
            while True:
                for letter in _done(looked_up):
                    waiting -= len(letter.body)
                    yield letter
                if len(looked_up) <= _MOST_BATCHES and waiting <= _MOST_BYTES:
                    break
                time.sleep(_POLL_S)
        while len(looked_up) and not stop():
            time.sleep(_POLL_S)
            yield from _done(looked_up)
    finally:
        looked_up.close()
        walk.end()


def _done(stage: Stage) -> Iterator[DeadLetter]:
    for letters, future in stage.done():
        error = future.exception()
        if isinstance(error, RecordsUnavailable):
            log.warning("records_unavailable", error=str(error), tip="why these messages died is not known now")
        elif error is not None:
            raise error
        yield from letters


def _filling(records: Records) -> Callable[[list[DeadLetter]], None]:
    def fill(letters: list[DeadLetter]) -> None:
        for letter, gave_up in zip(letters, records.find(letters), strict=True):
            letter.gave_up = gave_up or letter.gave_up

    return fill
