"""The publisher's connection and its one channel: opened, lost, opened again. All of it on the I/O thread."""

import contextlib
import time
from typing import Any, Protocol

import pika
import structlog
from pika.adapters.select_connection import IOLoop
from pika.channel import Channel
from pika.exceptions import AMQPError

from mq_common import metrics
from mq_common._outgoing_frames import OutgoingFrames
from mq_common.connection import address, connection_parameters, reason_of
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings

log = structlog.get_logger()


class LinkEvents(Protocol):
    """What the owner of a link is told."""

    def on_open(self, frames: OutgoingFrames) -> None:
        """Publish through these from now on."""

    def on_unblocked(self) -> None:
        """Go on: the broker's alarm is over."""

    def on_gone(self) -> None:
        """Expect no more answers to what was sent."""

    def on_return(self, channel: Channel, method: Any, properties: Any, body: bytes) -> None:
        """Take note of a message that no queue wanted; its confirm follows."""

    def on_confirm(self, frame: Any) -> None:
        """Take the broker's ack or nack."""


class Link:
    """Keeps one confirming channel open, at one node after another, until ``close``."""

    def __init__(self, loop: IOLoop, settings: BrokerSettings, name: str, events: LinkEvents) -> None:
        self._loop, self._settings, self._events = loop, settings, events
        self._nodes = connection_parameters(settings, name)
        self._connects = 0
        self._backoff = Backoff(initial_s=0.1, max_s=5.0)
        self._connection: pika.SelectConnection | None = None
        self._channel: Channel | None = None
        self._closing = False
        self._answer_due = float("inf")
        #: True while the broker holds publishers back (memory or disk alarm).
        self.blocked = False

    @property
    def is_open(self) -> bool:
        """Whether there is a channel in confirm mode."""
        return self._channel is not None and self._channel.is_open

    def connect(self) -> None:
        """Begin to connect to the next node."""
        node = self._nodes[self._connects % len(self._nodes)]
        self._connects += 1
        self._answer_due = time.monotonic() + self._settings.connect_timeout_s
        self._connection = pika.SelectConnection(
            node,
            on_open_callback=self._on_connection_open,
            on_open_error_callback=self._on_connection_lost,
            on_close_callback=self._on_connection_lost,
            custom_ioloop=self._loop,
        )

    def close(self) -> None:
        """Close for good, then stop the loop."""
        self._closing = True
        if self._connection is not None and self._connection.is_open:
            with contextlib.suppress(AMQPError):
                self._connection.close()
        else:
            self._loop.stop()

    def renew_channel(self, answer_within_s: float) -> None:
        """Close the channel; a new one follows. Without an answer in time the connection is given up."""
        channel, self._channel = self._channel, None
        if channel is not None and channel.is_open:
            self._answer_due = time.monotonic() + answer_within_s
            channel.close()

    def check(self, now: float) -> None:
        """Leave a node that has stopped to answer; the next one may serve long before the heartbeat notices."""
        if now <= self._answer_due or self.blocked:
            return
        self._answer_due = float("inf")
        if self._connection is not None and not self._connection.is_closed:
            # Closing it in order would wait for an answer too, and Pika has no public way to do without one.
            self._connection._terminate_stream(AMQPError("the broker has stopped to answer"))

    def _on_connection_open(self, connection: pika.SelectConnection) -> None:
        connection.add_on_connection_blocked_callback(self._on_blocked)
        connection.add_on_connection_unblocked_callback(self._on_unblocked)
        connection.channel(on_open_callback=self._on_channel_open)

    def _on_channel_open(self, channel: Channel) -> None:
        channel.add_on_close_callback(self._on_channel_closed)
        channel.add_on_return_callback(self._events.on_return)
        channel.confirm_delivery(self._events.on_confirm, callback=lambda _: self._on_confirm_mode(channel))

    def _on_confirm_mode(self, channel: Channel) -> None:
        assert self._connection is not None  # noqa: S101 - the channel is one of its
        self._backoff.reset()
        self._answer_due = float("inf")
        self._channel = channel
        metrics.PUBLISHER_CONNECTED.set(1)
        log.info("publisher_connected", broker=address(self._settings))
        self._events.on_open(OutgoingFrames(self._connection, channel))

    def _on_connection_lost(self, _: Any, error: BaseException) -> None:
        self._forget_channel()
        self._answer_due = float("inf")
        self.blocked = False
        metrics.PUBLISHER_BLOCKED.set(0)
        if self._closing:
            self._loop.stop()
            return
        # The next node at once; a wait only when all of them were tried.
        wait = 0.0 if self._connects % len(self._nodes) else self._backoff.next()
        metrics.PUBLISHER_RECONNECTS.inc()
        log.warning(
            "publisher_connection_lost",
            broker=address(self._settings),
            reason=reason_of(error),
            retry_in_s=round(wait, 2),
            tip="is the broker running, and are AMQP_URL's user and vhost right?",
        )
        self._loop.call_later(wait, self._connect_again)

    def _connect_again(self) -> None:
        if self._closing:
            self._loop.stop()
        else:
            self.connect()

    def _on_channel_closed(self, _: Channel, error: BaseException) -> None:
        """Open a new channel when only this one was closed (unknown exchange, or given up by us)."""
        self._forget_channel()
        if self._connection is not None and self._connection.is_open:
            log.warning("publisher_channel_closed", reason=reason_of(error))
            self._connection.channel(on_open_callback=self._on_channel_open)

    def _forget_channel(self) -> None:
        self._channel = None
        metrics.PUBLISHER_CONNECTED.set(0)
        self._events.on_gone()

    def _on_blocked(self, _: Any, method: Any) -> None:
        self.blocked = True
        metrics.PUBLISHER_BLOCKED.set(1)
        log.warning(
            "publisher_blocked",
            reason=getattr(method.method, "reason", ""),
            tip="the broker raised a memory or disk alarm; publishing goes on by itself when it is lifted",
        )

    def _on_unblocked(self, *_: Any) -> None:
        self.blocked = False
        metrics.PUBLISHER_BLOCKED.set(0)
        log.info("publisher_unblocked")
        self._events.on_unblocked()
