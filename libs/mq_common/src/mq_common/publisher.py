"""Publishing with confirms and returns: one connection on its own thread, many submitters, confirms pipelined."""

import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future

from mq_common._inflight import Submission, Told
from mq_common._outcomes import tell
from mq_common._publisher_loop import PublisherLoop
from mq_common.messages import Outcome, OutgoingMessage, event_message
from mq_common.settings import BrokerSettings

__all__ = ["ConfirmingPublisher", "Outcome", "OutgoingMessage", "event_message"]


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
        self._settings, self._name = settings, name
        self._window, self._confirm_timeout = window, confirm_timeout
        self._start_lock = threading.Lock()
        self._loop: PublisherLoop | None = None
        self._pid = os.getpid()
        self._closing = False

    @property
    def ready(self) -> bool:
        """True while a publish would be sent at once: connected, and not held back by the broker."""
        return self._loop is not None and self._loop.ready

    @property
    def has_room(self) -> bool:
        """True while a submitter would not have to wait for the window."""
        return self._loop is None or self._loop.room.there_is

    def start(self) -> None:
        """Start the I/O thread and begin to connect; returns at once. Harmless when it runs already."""
        with self._start_lock:
            if self._pid != os.getpid():  # forked: the parent's thread and socket are not ours
                self._pid, self._loop, self._closing = os.getpid(), None, False
            if not self._closing and (self._loop is None or self._loop.ended):
                self._loop = PublisherLoop(
                    self._settings, self._name, window=self._window, confirm_timeout=self._confirm_timeout
                )
                self._loop.start()

    def _running(self) -> PublisherLoop | None:
        """Give the loop, started where it has to be; None once the publisher is closed."""
        if self._loop is None or self._loop.ended or self._pid != os.getpid():
            self.start()
        return None if self._closing else self._loop

    def submit(self, message: OutgoingMessage) -> "Future[Outcome]":
        """Send the message; the future ends in an Outcome and never raises.

        Blocks while the window is full, at most ``confirm_timeout`` seconds; then the message ends as UNKNOWN unsent.
        """
        future: Future[Outcome] = Future()
        loop = self._running()
        if loop is None or loop.room.wait(self._confirm_timeout):
            self.submit_all(((message, future.set_result),))
        else:
            now = time.monotonic()
            tell((Submission(message, now, now, future.set_result),), Outcome.UNKNOWN)
        return future

    def submit_all(self, messages: Iterable[tuple[OutgoingMessage, Told]]) -> None:
        """Send messages at once, each with whom to tell its Outcome; that happens in the publisher's own thread.

        Never blocks, and so does not keep to the window: ask ``has_room`` before. For callers that have no thread to
        wait in; a future and a wake-up for each message would cost more than the publish.
        """
        loop = self._running()
        now = time.monotonic()
        submissions = [Submission(message, now + self._confirm_timeout, now, told) for message, told in messages]
        if loop is None:
            tell(submissions, Outcome.UNKNOWN)
        else:
            loop.add(submissions)

    def publish(self, message: OutgoingMessage) -> Outcome:
        """Send the message and wait for its end: at most about twice ``confirm_timeout`` when the window is full."""
        return self.submit(message).result()

    def close(self, timeout: float = 5.0) -> None:
        """Answer what is on its way (at most ``timeout`` seconds), then close the connection. Idempotent."""
        self._closing = True
        if self._loop is not None and self._pid == os.getpid():
            self._loop.close(timeout)
