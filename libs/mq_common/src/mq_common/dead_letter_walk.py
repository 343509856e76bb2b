"""Going through a dead-letter queue from its front to its end without losing, reordering or harming a message.

Everything found stays unacknowledged until the end, where what was not taken goes back. Three habits of RabbitMQ (seen
on 3.10, 4.0 and 4.3) decide how:

- A consumer holds at most its prefetch, so a hundred thousand messages that nobody wants would need as large a
  prefetch, and the broker would push all those bodies at once. Instead consumers follow each other: one that is half
  full of held messages is cancelled, which leaves it what it has, and the next goes on behind it.
- What is assigned to a consumer but not sent yet when it is cancelled goes back, out of order. So before that, acks
  wait until the consumer has all that its prefetch allows: then nothing is on its way.
- Returned messages go behind those that are ready, where deliveries are unlimited. So a walk that ends early holds the
  rest too before it returns anything, each consumer's messages with one nack: with one nack each they are shuffled.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pika
import structlog
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import AMQPError, ChannelClosedByBroker

from mq_common._acks import AckWindow
from mq_common._incoming_frames import IncomingFrames
from mq_common._walk_consumer import WalkConsumer
from mq_common._walk_lock import Busy, lock_walk
from mq_common.channels import ChannelSpec
from mq_common.topology import check_dead_letter_limit

__all__ = ["Busy", "DeadLetterWalk", "Found"]

log = structlog.get_logger()

#: Messages of the first consumer: few, since nothing is known of their size yet.
_FIRST_PREFETCH = 50
#: Messages of later consumers at most, and the bytes that the broker may push to one of them.
_MOST_PREFETCH = 2000
_PUSHED_BYTES = 16 * 1024 * 1024
#: Seconds without a delivery after which the queue is asked whether it has more.
_IDLE_S = 0.2
#: Seconds for holding what nobody looked at, so that the order is kept.
_REST_LIMIT_S = 10.0
#: Seconds within which what was returned has to be there again: a hundred thousand take some, on a busy machine.
_RETURN_LIMIT_S = 30.0
#: Seconds between the last ack and the end of the channel: on RabbitMQ 4.3 the end may overtake it.
_LINGER_S = 0.2
#: Seconds between two looks at the queue.
_POLL_S = 0.002
#: AMQP's reply code.
_NOT_FOUND = 404


class Found(NamedTuple):
    """A dead letter; the broker holds it for us until it is taken or the walk ends.

    ``header``: its properties, or the bytes that they were on the wire.
    """

    tag: int
    header: pika.BasicProperties | bytes
    body: bytes


class DeadLetterWalk:
    """One walk through one channel's dead-letter queue, as deep as that is at the start. Used by one thread.

    Only one walk at a time goes through a queue: two would see half of it each, and mix up its order.
    """

    def __init__(self, connection: BlockingConnection, spec: ChannelSpec) -> None:
        self._connection, self._queue = connection, spec.dead_letter_queue
        self._lock_name = f"{self._queue}.lock"
        self._channel: BlockingChannel = connection.channel()
        self._frames: IncomingFrames | None = None
        self._consumers: list[WalkConsumer] = []
        self._arrived: list[Found] = []
        self._arrived_at = time.monotonic()
        self._bytes = 0
        self._acks = AckWindow()
        self._last_in_window = 0
        self._single_acks: list[int] = []
        self._holds = self._locked = self._has_acked = False
        #: Messages to look at, and those seen so far.
        self.depth = self.seen = 0

    def begin(self, *, wait_s: float, stop: Callable[[], bool] = lambda: False) -> int:
        """Become the only one, waiting at most ``wait_s`` seconds for another walk, and start; gives the depth.

        Raises Busy.
        """
        lock_walk(self._connection, self._lock_name, time.monotonic() + wait_s, stop)
        self._locked = True
        self.depth = self._ready()
        if self.depth:
            check_dead_letter_limit(self._connection, self._queue)
            self._frames = IncomingFrames(self._connection, self._channel, self._on_delivery)
            self._subscribe(_FIRST_PREFETCH)
        return self.depth

    def turn(self, wait_s: float) -> list[Found]:
        """Give what arrives within ``wait_s`` seconds, in the queue's order."""
        self._connection.process_data_events(time_limit=wait_s)
        if not self._arrived and self._consumers and time.monotonic() - self._arrived_at > _IDLE_S:
            self._look_for_more()
        found, self._arrived = self._arrived, []
        if found:
            self._arrived_at = time.monotonic()
            beyond = max(0, self.seen + len(found) - self.depth)
            for late in found[len(found) - beyond :]:  # died after the start
                self.hold(late.tag)
            found = found[: len(found) - beyond]
            self.seen += len(found)
            self._bytes += sum(len(each.body) for each in found)
        self._settle()
        return found

    @property
    def at_end(self) -> bool:
        """True when everything that was there at the start has been seen."""
        return self.seen >= self.depth

    def hold(self, tag: int) -> None:
        """Leave the message where it is: it goes back when the walk ends."""
        self._holds = True
        self._consumer_of(tag).hold(tag)

    def take(self, tag: int) -> None:
        """Remove the message from the dead-letter queue: it is safe elsewhere."""
        self._consumer_of(tag).taken += 1
        if tag <= self._last_in_window:
            self._acks.done(tag)
        else:
            self._single_acks.append(tag)

    def end(self) -> None:
        """Put back what was not taken, in its order, and let the next walk in. Harmless when the broker is gone.

        The order is kept when every message found was held or taken before.
        """
        there = 0
        if self._channel.is_open:
            if self._consumers:
                self._hold_the_rest()
                self._cancel(self._consumers[-1])
                self._hold_arrived()
                self._send_acks()
                there = self._ready() + sum(each.delivered - each.taken for each in self._consumers)
                self._give_back()
            if self._has_acked:
                self._connection.sleep(_LINGER_S)
        with suppress(AMQPError):
            self._channel.close()
        if self._frames is not None:
            self._frames.detach()
        if self._locked and self._connection.is_open:
            self._unlock(there)

    # -- consumers ----------------------------------------------------------------------------------------------

    def _subscribe(self, prefetch: int) -> None:
        self._channel.basic_qos(prefetch_count=prefetch)
        consumer = WalkConsumer(f"walk-{len(self._consumers) + 1}", prefetch)
        self._arrived_at = time.monotonic()
        self._consumers.append(consumer)
        self._channel.basic_consume(self._queue, self._on_message, consumer_tag=consumer.name)

    def _on_message(self, _: BlockingChannel, method: Any, properties: pika.BasicProperties, body: bytes) -> None:
        self._on_delivery(method.delivery_tag, bool(method.redelivered), properties, body)

    def _on_delivery(self, tag: int, _: bool, header: pika.BasicProperties | bytes, body: bytes) -> None:
        self._consumers[-1].deliver(tag)
        if not self._holds:  # with a message held, no ack can cover more than one any more
            self._acks.deliver(tag)
            self._last_in_window = tag
        self._arrived.append(Found(tag, header, body))

    def _consumer_of(self, tag: int) -> WalkConsumer:
        latest = self._consumers[-1]  # whose most are
        if latest.first_tag <= tag:
            return latest
        return next(each for each in reversed(self._consumers) if each.first_tag <= tag)

    def _settle(self) -> None:
        """Send acks, unless the consumer is to be replaced: then wait until it is full first."""
        if not self._consumers:
            return
        consumer = self._consumers[-1]
        worn = consumer.is_half_held or (len(self._consumers) == 1 and self.seen >= _FIRST_PREFETCH)
        if not worn or self.at_end:
            self._send_acks()
        elif consumer.is_full:
            self._succeed(consumer)

    def _succeed(self, consumer: WalkConsumer) -> None:
        """Let the next consumer go on behind this one, which is full."""
        self._cancel(consumer)
        self._send_acks()
        mean = max(1, self._bytes // max(1, self.seen))
        self._subscribe(max(8, min(_MOST_PREFETCH, _PUSHED_BYTES // mean)))

    def _look_for_more(self) -> None:
        """End the walk when the queue is empty before its depth is reached: that was out of date, or some are gone.

        What is on its way does not count as ready; it arrives before the answer to the cancel.
        """
        if self.at_end or self._ready() > 0:
            self._arrived_at = time.monotonic()
            return
        self._cancel(self._consumers[-1])
        if self._ready() > 0:
            self._subscribe(self._consumers[-1].prefetch)
        else:
            self.depth = self.seen + len(self._arrived)

    def _send_acks(self) -> None:
        for tag, multiple in self._acks.take():
            self._channel.basic_ack(tag, multiple=multiple)
            self._has_acked = True
        for tag in self._single_acks:
            self._channel.basic_ack(tag)
            self._has_acked = True
        self._single_acks.clear()
        self._consumers[-1].acked = self._consumers[-1].taken

    def _hold_the_rest(self) -> None:
        """Hold what nobody has seen, too: what is returned goes behind what is ready, out of its order.

        It ends when nothing is ready and nothing on its way: that arrives before the second answer that says so.
        """
        deadline = time.monotonic() + _REST_LIMIT_S
        quiet = 0
        while quiet < 2 and time.monotonic() < deadline:
            delivered, ready = self._consumers[-1].delivered, self._ready()
            self._connection.process_data_events(time_limit=_POLL_S if ready else 0)
            quiet = quiet + 1 if ready == 0 and self._consumers[-1].delivered == delivered else 0
            self._hold_arrived()
            if self._consumers[-1].is_full:
                self._succeed(self._consumers[-1])
        if quiet < 2:
            log.warning("dead_letters_out_of_order", queue=self._queue, reason="too many to hold in the time there is")

    def _hold_arrived(self) -> None:
        for late in self._arrived:
            self.hold(late.tag)
        self._arrived.clear()

    def _cancel(self, consumer: WalkConsumer) -> None:
        """Cancel without giving back what the consumer has.

        Pika's own basic_cancel rejects what arrives before the broker's answer. The second round trip is for what
        the broker's channel had not read when it answered the first.
        """
        frame = pika.spec.Basic.Cancel(consumer_tag=consumer.name, nowait=True)  # type: ignore[no-untyped-call]
        self._channel._impl._send_method(frame)
        for _ in range(2):
            self._round_trip()
            self._connection.process_data_events(time_limit=0)

    def _round_trip(self) -> None:
        self._channel.basic_qos(prefetch_count=1)

    def _give_back(self) -> None:
        """Return what is held, one consumer's messages after the other's: together, they would come back mixed."""
        if not all(consumer.is_decided for consumer in self._consumers):
            return  # the end of the channel returns everything
        ready, deadline = self._ready(), time.monotonic() + _RETURN_LIMIT_S
        for consumer in self._consumers:
            if consumer.held:
                self._channel.basic_nack(consumer.last_held, multiple=True, requeue=True)
                ready += consumer.held
                while self._ready() < ready and time.monotonic() < deadline:
                    self._connection.sleep(_POLL_S)

    def _unlock(self, there: int) -> None:
        """Let the next walk in, once as many messages are ``there`` again: it counts those and looks no further."""
        self._channel = self._connection.channel()
        deadline = time.monotonic() + _RETURN_LIMIT_S
        with suppress(ChannelClosedByBroker):  # the queue is gone
            while self._ready() < there and time.monotonic() < deadline:
                self._connection.sleep(_POLL_S)
            self._channel.queue_delete(self._lock_name)
        with suppress(AMQPError):
            self._channel.close()

    # -- the queue ----------------------------------------------------------------------------------------------

    def _ready(self) -> int:
        """Give the number of ready messages; a queue that is not there has none."""
        try:
            return int(self._channel.queue_declare(self._queue, passive=True).method.message_count)
        except ChannelClosedByBroker as error:
            if error.reply_code != _NOT_FOUND or self._consumers:
                raise
            log.warning("dead_letter_queue_missing", queue=self._queue, tip="its channel's worker declares it")
            self._channel = self._connection.channel()
            return 0
