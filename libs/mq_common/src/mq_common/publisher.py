"""Publishing with confirms and returns: one connection on its own thread, many submitters, confirms pipelined."""

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import pika
import structlog
from pika.adapters.select_connection import IOLoop
from pika.channel import Channel
from pika.exceptions import AMQPError

from mq_common import metrics
from mq_common._inflight import InFlight, Submission, Told
from mq_common._outgoing_frames import OutgoingFrames
from mq_common._room import Room
from mq_common.connection import address, connection_parameters, reason_of
from mq_common.messages import Outcome, OutgoingMessage, event_message
from mq_common.retry import Backoff
from mq_common.settings import BrokerSettings

__all__ = ["ConfirmingPublisher", "Outcome", "OutgoingMessage", "event_message"]

log = structlog.get_logger()

#: Seconds between looks for messages that have waited too long.
EXPIRY_TICK_S = 0.1
#: Bytes handed to the socket at once, at least.
WRITE_BYTES = 256 * 1024
#: So many nacks in a row without one confirm, and the channel is given up for a new one: on RabbitMQ 3.10 a channel
#: that was opened while a queue elected its leader may be nacked, or left without an answer, for ever.
NACKS_BEFORE_REOPEN = 50
#: Seconds between two such reopenings; a full queue nacks for good reason, and a new channel would not help it.
REOPEN_INTERVAL_S = 5.0


class ConfirmingPublisher:
    """Publishes mandatory, persistent messages and tells for each how it ended.

    Any thread may submit. About ``window`` messages at most wait for their answer; a submitter beyond that waits for
    room. No message waits longer than ``confirm_timeout`` seconds for an answer, whether the broker is slow, blocked by
    an alarm, or gone: it then ends as UNKNOWN. The connection is opened by the first submit (so after a fork) and
    opened again whenever it is lost.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        *,
        name: str = "mediaflow publisher",
        window: int = 1000,
        confirm_timeout: float = 5.0,
    ) -> None:
        self._settings = settings
        self._nodes = connection_parameters(settings, name)
        self._window = window
        self._confirm_timeout = confirm_timeout
        self._start_lock = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._room = Room(self._window, lambda: len(self._waiting) + len(self._inflight))
        self._waiting: deque[Submission] = deque()
        self._inflight = InFlight()
        self._wake_pending = False
        self._closing = False
        self._blocked = False
        self._thread: threading.Thread | None = None
        self._loop: IOLoop | None = None
        self._connection: pika.SelectConnection | None = None
        self._channel: Channel | None = None
        self._frames: OutgoingFrames | None = None
        self._backoff = Backoff(initial_s=0.1, max_s=5.0)
        self._connects = 0
        self._answer_due = float("inf")
        self._nacks_in_a_row = 0
        self._reopening = False
        self._last_reopen = float("-inf")
        self._last_answer = float("-inf")

    # -- called from any thread ---------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """True while a publish would be sent at once: connected, and not held back by the broker."""
        return self._channel is not None and not self._blocked and not self._reopening

    @property
    def has_room(self) -> bool:
        """True while a submitter would not have to wait for the window."""
        return self._room.there_is

    def start(self) -> None:
        """Start the I/O thread and begin to connect; returns at once. Harmless when it runs already."""
        with self._start_lock:
            if self._pid != os.getpid():  # forked: the parent's thread and socket are not ours
                self._reset()
            if self._thread is None and not self._closing:
                self._loop = IOLoop()
                self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)
                self._thread.start()

    def submit(self, message: OutgoingMessage) -> "Future[Outcome]":
        """Send the message; the future ends in an Outcome and never raises.

        Blocks while the window is full, at most ``confirm_timeout`` seconds; then the message ends as UNKNOWN unsent.
        """
        future: Future[Outcome] = Future()
        if self._room.wait(self._confirm_timeout):
            self.submit_all(((message, future.set_result),))
        else:
            now = time.monotonic()
            self._finish((Submission(message, now, now, future.set_result),), Outcome.UNKNOWN)
        return future

    def submit_all(self, messages: Iterable[tuple[OutgoingMessage, Told]]) -> None:
        """Send messages at once, each with whom to tell its Outcome; that happens in the publisher's own thread.

        Never blocks, and so does not keep to the window: ask ``has_room`` before. For callers that have no thread to
        wait in; a future and a wake-up for each message would cost more than the publish.
        """
        if self._thread is None or self._pid != os.getpid():
            self.start()
        now = time.monotonic()
        submissions = [Submission(message, now + self._confirm_timeout, now, told) for message, told in messages]
        if self._closing:
            self._finish(submissions, Outcome.UNKNOWN)
            return
        self._waiting.extend(submissions)
        self._wake()

    def publish(self, message: OutgoingMessage) -> Outcome:
        """Send the message and wait for its end: at most about twice ``confirm_timeout`` when the window is full."""
        return self.submit(message).result()

    def close(self, timeout: float = 5.0) -> None:
        """Answer what is on its way (at most ``timeout`` seconds), then close the connection. Idempotent."""
        if self._thread is None or self._pid != os.getpid():
            self._closing = True
            return
        deadline = time.monotonic() + timeout
        self._closing = True
        while (self._waiting or len(self._inflight)) and time.monotonic() < deadline:
            time.sleep(0.005)
        loop = self._loop
        if loop is not None:
            loop.add_callback_threadsafe(self._stop)
        self._thread.join(max(1.0, deadline - time.monotonic()))

    def _wake(self) -> None:
        # One wake-up serves every message submitted until the loop gets to it. The flag is cleared before the loop
        # looks at the deque, so a message appended later always finds it cleared or is seen by that look.
        if not self._wake_pending and self._loop is not None:
            self._wake_pending = True
            self._loop.add_callback_threadsafe(self._on_wake)

    # -- the I/O thread from here on ----------------------------------------------------------------------------

    def _run(self) -> None:
        assert self._loop is not None  # noqa: S101 - set before the thread starts
        self._loop.call_later(0, self._connect)
        self._loop.call_later(EXPIRY_TICK_S, self._on_tick)
        try:
            self._loop.start()
        except Exception:
            log.exception("publisher_loop_failed")
        finally:
            self._channel = None
            self._finish_all(Outcome.UNKNOWN)
            self._loop.close()
            with self._start_lock:
                self._thread = None  # the next submit starts a new one

    def _stop(self) -> None:
        if self._connection is not None and self._connection.is_open:
            with contextlib.suppress(AMQPError):
                self._connection.close()
        else:
            self._stop_loop()

    def _stop_loop(self) -> None:
        assert self._loop is not None  # noqa: S101
        self._loop.stop()

    def _connect(self) -> None:
        if self._closing and not self._waiting:
            self._stop_loop()
            return
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

    def _on_connection_open(self, connection: pika.SelectConnection) -> None:
        connection.add_on_connection_blocked_callback(self._on_blocked)
        connection.add_on_connection_unblocked_callback(self._on_unblocked)
        connection.channel(on_open_callback=self._on_channel_open)

    def _on_channel_open(self, channel: Channel) -> None:
        channel.add_on_close_callback(self._on_channel_closed)
        channel.add_on_return_callback(self._on_return)
        channel.confirm_delivery(self._on_confirm, callback=lambda _: self._on_confirm_mode(channel))

    def _on_confirm_mode(self, channel: Channel) -> None:
        assert self._connection is not None  # noqa: S101 - the channel is one of its
        self._frames = OutgoingFrames(self._connection, channel)
        self._backoff.reset()
        self._answer_due = float("inf")
        self._nacks_in_a_row = 0
        self._reopening = False
        self._channel = channel
        metrics.PUBLISHER_CONNECTED.set(1)
        log.info("publisher_connected", broker=address(self._settings))
        self._pump()

    def _on_connection_lost(self, _: Any, error: BaseException) -> None:
        self._forget_channel()
        self._answer_due = float("inf")
        self._blocked = False
        metrics.PUBLISHER_BLOCKED.set(0)
        if self._closing:
            self._stop_loop()
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
        assert self._loop is not None  # noqa: S101
        self._loop.call_later(wait, self._connect)

    def _on_channel_closed(self, _: Channel, error: BaseException) -> None:
        """Open a new channel when only this one was closed (unknown exchange, or given up by us)."""
        self._forget_channel()
        if self._connection is not None and self._connection.is_open:
            log.warning("publisher_channel_closed", reason=reason_of(error))
            self._connection.channel(on_open_callback=self._on_channel_open)

    def _forget_channel(self) -> None:
        self._channel = None
        metrics.PUBLISHER_CONNECTED.set(0)
        self._finish(self._inflight.restart(), Outcome.UNKNOWN)

    def _on_blocked(self, _: Any, method: Any) -> None:
        self._blocked = True
        metrics.PUBLISHER_BLOCKED.set(1)
        log.warning(
            "publisher_blocked",
            reason=getattr(method.method, "reason", ""),
            tip="the broker raised a memory or disk alarm; publishing goes on by itself when it is lifted",
        )

    def _on_unblocked(self, *_: Any) -> None:
        self._blocked = False
        metrics.PUBLISHER_BLOCKED.set(0)
        log.info("publisher_unblocked")
        self._pump()

    def _on_wake(self) -> None:
        self._wake_pending = False
        self._pump()

    def _pump(self) -> None:
        """Send all that waits, as long as the broker takes it."""
        frames, waiting = self._frames, self._waiting
        if frames is None or self._channel is None or self._blocked or self._reopening or not self._channel.is_open:
            return
        pieces: list[bytes] = []
        size = 0
        while waiting:
            submission = waiting.popleft()
            try:
                data = frames.encode(submission.message)
            except Exception as error:  # whatever the properties hold must not end the loop
                log.warning(
                    "publish_not_encodable", message_id=submission.message.properties.message_id, error=repr(error)
                )
                self._finish((submission,), Outcome.UNKNOWN)
                continue
            self._inflight.add(submission)
            pieces.append(data)
            size += len(data)
            if size >= WRITE_BYTES:
                frames.write(b"".join(pieces))
                pieces, size = [], 0
        if pieces:
            frames.write(b"".join(pieces))

    def _on_return(self, _: Channel, method: Any, properties: Any, body: bytes) -> None:
        if not self._inflight.mark_returned(method.exchange, method.routing_key, properties.message_id, body):
            log.warning("late_return_ignored", message_id=properties.message_id)

    def _on_confirm(self, frame: Any) -> None:
        method = frame.method
        acked = isinstance(method, pika.spec.Basic.Ack)
        self._last_answer = time.monotonic()
        answered = self._inflight.settle(method.delivery_tag, multiple=method.multiple)
        if not acked:
            self._finish(answered, Outcome.NACKED)
        else:
            returned = [submission for submission in answered if submission.returned]
            self._finish(returned, Outcome.UNROUTABLE)
            self._finish([each for each in answered if not each.returned] if returned else answered, Outcome.CONFIRMED)
        if acked:
            self._nacks_in_a_row = 0
        else:
            self._nacks_in_a_row += 1
            if self._nacks_in_a_row >= NACKS_BEFORE_REOPEN:
                self._reopen(f"{self._nacks_in_a_row} nacks in a row")
        if self._reopening and not len(self._inflight):
            self._close_channel()

    def _reopen(self, reason: str) -> None:
        """Stop sending, let what is in flight be answered or time out, then take a new channel."""
        now = time.monotonic()
        if now - self._last_reopen > REOPEN_INTERVAL_S and not self._reopening:
            self._last_reopen = now
            self._reopening = True
            metrics.CHANNEL_REOPENS.inc()
            log.warning("publisher_channel_given_up", reason=reason, in_flight=len(self._inflight))

    def _close_channel(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None and channel.is_open:
            self._answer_due = time.monotonic() + self._confirm_timeout
            channel.close()

    def _abandon_connection(self) -> None:
        """Leave a node that has stopped to answer; the next one may serve long before the heartbeat notices."""
        self._answer_due = float("inf")
        if self._connection is not None and not self._connection.is_closed:
            # Closing it in order would wait for an answer too, and Pika has no public way to do without one.
            self._connection._terminate_stream(AMQPError("the broker has stopped to answer"))

    def _on_tick(self) -> None:
        now = time.monotonic()
        overdue = []
        while self._waiting and self._waiting[0].deadline <= now:
            overdue.append(self._waiting.popleft())
        expired = self._inflight.expired(now)
        self._finish((*overdue, *expired), Outcome.UNKNOWN)
        if expired and not self._blocked and self._last_answer < expired[-1].submitted:
            self._reopen("no answer to anything sent since the message that timed out")
        if self._reopening and not len(self._inflight):
            self._close_channel()
        if now > self._answer_due and not self._blocked:
            self._abandon_connection()
        metrics.IN_FLIGHT.set(len(self._inflight))
        assert self._loop is not None  # noqa: S101
        self._loop.call_later(EXPIRY_TICK_S, self._on_tick)

    def _finish_all(self, outcome: Outcome) -> None:
        left = (*self._inflight.restart(), *self._waiting)
        self._waiting.clear()
        self._finish(left, outcome)

    def _finish(self, submissions: Sequence[Submission], outcome: Outcome) -> None:
        if not submissions:
            return
        # One observation for all that one frame answers, of the one that waited longest.
        metrics.CONFIRM_SECONDS.observe(time.monotonic() - submissions[0].submitted)
        _COUNTERS[outcome].inc(len(submissions))
        for submission in submissions:
            try:
                submission.told(outcome)
            except Exception as error:  # a future that was cancelled, or whatever else: it must not end the loop
                log.debug("outcome_not_taken", error=repr(error))
        self._room.made()


_COUNTERS = {outcome: metrics.PUBLISHED.labels(outcome.value) for outcome in Outcome}
