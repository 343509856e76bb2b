"""The publisher's I/O thread: sends what waits, takes the broker's answers, lets nothing wait for ever."""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import pika
import structlog
from pika.adapters.select_connection import IOLoop
from pika.channel import Channel

from mq_common import metrics
from mq_common._inflight import InFlight, Submission
from mq_common._outcomes import tell
from mq_common._outgoing_frames import OutgoingFrames
from mq_common._publisher_link import Link
from mq_common._room import Room
from mq_common.messages import Outcome
from mq_common.settings import BrokerSettings

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


class PublisherLoop:
    """The publisher's thread and its connection. ``add`` hands it messages; whoever submitted them is told the end."""

    def __init__(self, settings: BrokerSettings, name: str, *, window: int, confirm_timeout: float) -> None:
        self._confirm_timeout = confirm_timeout
        self._waiting: deque[Submission] = deque()
        self._inflight = InFlight()
        self._loop = IOLoop()
        self._link = Link(self._loop, settings, name, self)
        self._frames: OutgoingFrames | None = None
        self._wake_pending = False
        self._end_lock = threading.Lock()
        self._nacks_in_a_row = 0
        self._reopening = False
        self._last_reopen = float("-inf")
        self._last_answer = float("-inf")
        #: The window; any thread may ask it.
        self.room = Room(window, lambda: len(self._waiting) + len(self._inflight))
        #: True once the thread sends and answers nothing more.
        self.ended = False
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    # -- called from any thread ---------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """True while a publish would be sent at once: connected, and not held back by the broker."""
        return self._frames is not None and not self._link.blocked and not self._reopening

    def start(self) -> None:
        """Start the thread and begin to connect; returns at once."""
        self._thread.start()

    def add(self, submissions: Sequence[Submission]) -> None:
        """Send these as soon as the broker takes them."""
        self._waiting.extend(submissions)
        # One wake-up serves every message submitted until the loop gets to it. The flag is cleared before the loop
        # looks at the deque, so a message appended later always finds it cleared or is seen by that look.
        if not self._wake_pending:
            self._wake_pending = True
            with self._end_lock:
                if not self.ended:
                    self._loop.add_callback_threadsafe(self._on_wake)
        if self.ended:
            self._give_up_waiting()

    def close(self, timeout_s: float) -> None:
        """Answer what is on its way (at most ``timeout_s`` seconds), then end the connection and the thread."""
        deadline = time.monotonic() + timeout_s
        while (self._waiting or len(self._inflight)) and time.monotonic() < deadline:
            time.sleep(0.005)
        with self._end_lock:
            if not self.ended:
                self._loop.add_callback_threadsafe(self._link.close)
        self._thread.join(max(1.0, deadline - time.monotonic()))

    # -- the I/O thread from here on ----------------------------------------------------------------------------

    def _run(self) -> None:
        self._loop.call_later(0, self._link.connect)
        self._loop.call_later(EXPIRY_TICK_S, self._on_tick)
        try:
            self._loop.start()
        except Exception:
            log.exception("publisher_loop_failed")
        finally:
            self._frames = None
            with self._end_lock:
                self.ended = True
                self._loop.close()
            self._finish(self._inflight.restart(), Outcome.UNKNOWN)
            self._give_up_waiting()

    def _give_up_waiting(self) -> None:
        """End what was never sent as UNKNOWN; also called by a thread that submits when the loop has ended."""
        with contextlib.suppress(IndexError):
            while True:
                self._finish((self._waiting.popleft(),), Outcome.UNKNOWN)

    def on_open(self, frames: OutgoingFrames) -> None:
        """Publish through these from now on."""
        self._frames = frames
        self._nacks_in_a_row = 0
        self._reopening = False
        self._pump()

    def on_gone(self) -> None:
        """End what was sent as UNKNOWN: its answers went with the channel."""
        self._frames = None
        self._finish(self._inflight.restart(), Outcome.UNKNOWN)

    def on_unblocked(self) -> None:
        """Go on sending."""
        self._pump()

    def _on_wake(self) -> None:
        self._wake_pending = False
        self._pump()

    def _pump(self) -> None:
        """Send all that waits, as long as the broker takes it."""
        frames, waiting = self._frames, self._waiting
        if frames is None or self._link.blocked or self._reopening or not self._link.is_open:
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

    def on_return(self, _: Channel, method: Any, properties: Any, body: bytes) -> None:
        """Take note of a message that no queue wanted; its confirm follows."""
        if not self._inflight.mark_returned(method.exchange, method.routing_key, properties.message_id, body):
            log.warning("late_return_ignored", message_id=properties.message_id)

    def on_confirm(self, frame: Any) -> None:
        """Take the broker's ack or nack, of one message or of many."""
        method = frame.method
        acked = isinstance(method, pika.spec.Basic.Ack)
        self._last_answer = time.monotonic()
        answered = self._inflight.settle(method.delivery_tag, multiple=method.multiple)
        if acked:
            returned = [submission for submission in answered if submission.returned]
            self._finish(returned, Outcome.UNROUTABLE)
            self._finish([each for each in answered if not each.returned] if returned else answered, Outcome.CONFIRMED)
            self._nacks_in_a_row = 0
        else:
            self._finish(answered, Outcome.NACKED)
            self._nacks_in_a_row += 1
            if self._nacks_in_a_row >= NACKS_BEFORE_REOPEN:
                self._reopen(f"{self._nacks_in_a_row} nacks in a row")
        self._renew_channel_when_empty()

    def _reopen(self, reason: str) -> None:
        """Stop sending, let what is in flight be answered or time out, then take a new channel."""
        now = time.monotonic()
        if now - self._last_reopen > REOPEN_INTERVAL_S and not self._reopening:
            self._last_reopen = now
            self._reopening = True
            metrics.CHANNEL_REOPENS.inc()
            log.warning("publisher_channel_given_up", reason=reason, in_flight=len(self._inflight))

    def _renew_channel_when_empty(self) -> None:
        if self._reopening and not len(self._inflight):
            self._frames = None
            self._link.renew_channel(self._confirm_timeout)

    def _on_tick(self) -> None:
        now = time.monotonic()
        overdue = []
        while self._waiting and self._waiting[0].deadline <= now:
            overdue.append(self._waiting.popleft())
        expired = self._inflight.expired(now)
        self._finish((*overdue, *expired), Outcome.UNKNOWN)
        if expired and not self._link.blocked and self._last_answer < expired[-1].submitted:
            self._reopen("no answer to anything sent since the message that timed out")
        self._renew_channel_when_empty()
        self._link.check(now)
        metrics.IN_FLIGHT.set(len(self._inflight))
        self._loop.call_later(EXPIRY_TICK_S, self._on_tick)

    def _finish(self, submissions: Sequence[Submission], outcome: Outcome) -> None:
        if submissions:
            tell(submissions, outcome)
            self.room.made()
