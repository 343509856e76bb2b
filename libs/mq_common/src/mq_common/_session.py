"""One connection's life of a worker: its channel, its consumer, its outstanding tags. Used by the I/O thread only."""

import time
from collections.abc import Callable
from typing import Any

import pika
import structlog
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import ConnectionWrongStateError

from mq_common import metrics
from mq_common._acks import AckWindow
from mq_common._crew import Crew
from mq_common._incoming_frames import IncomingFrames
from mq_common._returns import Delivery, give_back
from mq_common._traffic import Traffic
from mq_common.channels import ChannelSpec
from mq_common.jobs import JobEnd
from mq_common.logs import write_out
from mq_common.topology import declare_channel

log = structlog.get_logger()

#: Seconds between the last ack and the end of the channel.
LINGER_S = 0.2


class Session:
    """One channel on one connection: its consumer, its outstanding tags."""

    def __init__(self, connection: BlockingConnection, spec: ChannelSpec, crew: Crew, traffic: Traffic) -> None:
        self._connection, self._spec, self._crew, self._traffic = connection, spec, crew, traffic
        self._window = AckWindow()
        self._arrived: list[Delivery] = []
        self._cancelled_by_broker = False
        self._leaving = False
        self._consumer_tag = ""
        #: True while subscribed to the queue.
        self.consuming = False
        self._generation = crew.next_generation()
        self._channel: BlockingChannel = connection.channel()
        self._channel.basic_qos(prefetch_count=spec.prefetch)
        self._channel.add_on_cancel_callback(self._on_cancelled)
        IncomingFrames(connection, self._channel, self._take)

    def subscribe(self) -> None:
        """Declare what is missing and start to consume."""
        declare_channel(self._connection, self._spec)
        self._consumer_tag = self._channel.basic_consume(self._spec.queue, self._on_message)
        self._mark(consuming=True)
        log.info("worker_consuming", channel=self._spec.name, queue=self._spec.queue, prefetch=self._spec.prefetch)

    def _on_message(self, _: BlockingChannel, method: Any, properties: pika.BasicProperties, body: bytes) -> None:
        self._take(method.delivery_tag, method.redelivered, properties, body)

    def _take(self, tag: int, redelivered: bool, header: pika.BasicProperties | bytes, body: bytes) -> None:
        self._window.deliver(tag)
        self._traffic.delivered(redelivered=redelivered)
        self._arrived.append(Delivery(self._generation, tag, redelivered, header, body))

    def _on_cancelled(self, _: Any) -> None:
        self._cancelled_by_broker = True

    def resubscribe_if_cancelled(self) -> None:
        """Come back when the broker has cancelled the consumer (queue deleted, consumer time-out on 4.3).

        Without this the loop would go on, connected, alive and idle for ever. Tags on this channel stay valid.
        """
        if not self._cancelled_by_broker:
            return
        self._cancelled_by_broker = False
        self._mark(consuming=False)
        metrics.CONSUMER_CANCELS.labels(self._spec.name).inc()
        log.error(
            "consumer_cancelled",
            channel=self._spec.name,
            queue=self._spec.queue,
            tip="was the queue deleted, or did a job run longer than the queue's x-consumer-timeout?",
        )
        self.subscribe()

    def turn(self, wait_s: float) -> None:
        """Wait for news from the broker or from the job threads, hand over what arrived and settle what is done."""
        self._require_open()
        self._connection.process_data_events(time_limit=wait_s)
        self._hand_over()
        self.settle()

    def _hand_over(self) -> None:
        # All of a turn's deliveries at once: a thread woken for each would wait for the interpreter most of the time.
        arrived, self._arrived = self._arrived, []
        if arrived and self._leaving:
            self._give_back(arrived)
        elif arrived:
            self._crew.add(arrived)

    def settle(self) -> None:
        """Tell the broker what the job threads have finished, in as few frames as possible."""
        interrupted: list[Delivery] = []
        for delivery, end, lag_s, seconds in self._crew.take_finished():
            self._traffic.ended(end, lag_s, seconds)
            if delivery.generation != self._generation:
                self._traffic.was_stale()  # the broker delivers it again, and it is found to be done
            elif end is JobEnd.REJECTED:
                self._channel.basic_reject(delivery.tag, requeue=False)
                self._window.settled(delivery.tag)
                self._traffic.framed()
            elif end is JobEnd.INTERRUPTED:
                interrupted.append(delivery)
            else:
                self._window.done(delivery.tag)
        write_out()  # a job whose message is acknowledged has its line
        for tag, multiple in self._window.take():
            self._channel.basic_ack(tag, multiple=multiple)
            self._traffic.framed()
        if interrupted:
            self._give_back(interrupted)
        self._traffic.flush()

    def cancel(self) -> None:
        """Cancel the consumer without giving back, and so without harming, what is already on its way here.

        Pika's own basic_cancel rejects with requeue every delivery that arrives before cancel-ok, and each of those
        would lose an attempt. So the frame is sent as it is, with a round trip on the same channel after it. What a
        queue sent while the broker worked on the cancel may still come later; from now on nothing that arrives is
        begun: it goes back at once.
        """
        self._mark(consuming=False)
        frame = pika.spec.Basic.Cancel(consumer_tag=self._consumer_tag, nowait=True)  # type: ignore[no-untyped-call]
        self._channel._impl._send_method(frame)
        self._channel.basic_qos(prefetch_count=self._spec.prefetch)
        self._leaving = True
        self.turn(0)

    def return_unstarted(self) -> None:
        """Give back what no job thread has begun."""
        unstarted = self._crew.take_unstarted()
        if unstarted:
            self._give_back(unstarted)

    def settle_until_idle(self, deadline: float, on_turn: Callable[[], object]) -> None:
        """Wait for running jobs and settle them as they end, at most until ``deadline`` (monotonic seconds)."""
        while not self._crew.idle and time.monotonic() < deadline:
            on_turn()
            self.turn(0.1)
        self.settle()

    def linger(self) -> None:
        """Let the last acks take effect before the channel goes.

        Quorum queues of RabbitMQ 4.3 apply acks with low priority, and the end of the channel can overtake them: the
        message would come again (found to be done, but for nothing, and counted against its limit).
        """
        self._require_open()
        self._connection.sleep(LINGER_S)
        self._hand_over()

    def _require_open(self) -> None:
        """Raise ConnectionWrongStateError when the connection was lost while messages were given back.

        That is no reason to stop settling, but Pika's loop then answers with a ValueError, which says nothing.
        """
        if not self._connection.is_open:
            raise ConnectionWrongStateError("the connection was lost while messages were given back")

    def _give_back(self, deliveries: list[Delivery]) -> None:
        settled = give_back(self._connection, self._channel, self._spec.queue, deliveries)
        for delivery in settled:
            self._window.settled(delivery.tag)
            self._traffic.framed()
        metrics.GIVEN_BACK.labels(self._spec.name).inc(len(settled))
        log.info("messages_given_back", channel=self._spec.name, count=len(settled))

    def _mark(self, *, consuming: bool) -> None:
        self.consuming = consuming
        metrics.CONSUMING.labels(self._spec.name).set(consuming)
