"""The lane for small JSON uploads: taken one after the other by one thread, which never waits for the broker.

The usual way gives each request a thread that sleeps until its confirm comes; waking it costs more than the publish.
Here a request is taken up to its publish, and answered when the publisher tells how that ended. Only what needs no
waiting comes this way: the store is near, the broker takes messages at once, there is no idempotency key.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from ingest.acceptance import Registered, conclude, known_acceptance
from ingest.answers import Answer
from ingest.error_answers import answer_error
from ingest.repeated_heads import PlainUpload
from ingest.runtime import Runtime
from ingest.simulation import take_simulated
from ingest.traces import next_traceparent
from ingest.uploads import UPLOAD_PATH, accepted
from mq_common.publisher import Outcome, OutgoingMessage, event_message

#: A store that takes longer for one record (a disk that stalls) is left to the threads for a while, in seconds.
SLOW_STORE_S = 0.05
REST_S = 1.0


@dataclass(frozen=True, slots=True)
class Begun:
    """An upload whose event is on its way to the broker."""

    registered: Registered
    message: OutgoingMessage
    traceparent: str
    size: int
    #: `time.perf_counter` when the request was read, in seconds.
    started: float


class UploadLane:
    """What gunicorn's main loop may call: nothing here waits."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._possible = runtime.settings.allow_simulated and runtime.store.near
        self._rests_until = 0.0

    @property
    def is_open(self) -> bool:
        """True while an upload can be taken without waiting for anything."""
        publisher = self._runtime.publisher
        return self._possible and publisher.ready and publisher.has_room and time.perf_counter() >= self._rests_until

    def begin(self, upload: PlainUpload) -> Begun | Answer:
        """Take the upload up to its publish; or give the answer that it gets instead."""
        started = time.perf_counter()
        try:
            traceparent = next_traceparent(upload.traceparent)
            registered = take_simulated(self._runtime, upload.body)
            known = known_acceptance(self._runtime, registered)
            if known is not None:
                return accepted(registered.event, "json", len(upload.body), started, traceparent, status=known)
            message = event_message(registered.event, traceparent)
        except Exception as error:
            return answer_error(error, "POST", UPLOAD_PATH)
        finally:
            ended = time.perf_counter()
            if ended - started > SLOW_STORE_S:
                self._rests_until = ended + REST_S
        return Begun(registered, message, traceparent, len(upload.body), started)

    def publish(self, begun: list[tuple[Begun, Callable[[Outcome], object]]]) -> None:
        """Send the events, each with whom to tell how it ended; that happens in the publisher's thread."""
        self._runtime.publisher.submit_all((upload.message, told) for upload, told in begun)

    def answer(self, begun: Begun, outcome: Outcome) -> Answer:
        """Answer the upload when its publish has ended: quickly when it is confirmed, else call from a thread."""
        try:
            event, traceparent = begun.registered.event, begun.traceparent
            status = conclude(self._runtime, begun.registered, outcome, traceparent)
            return accepted(event, "json", begun.size, begun.started, traceparent, status=status)
        except Exception as error:
            return answer_error(error, "POST", UPLOAD_PATH)
