"""What a channel's code sees of the worker: the job it implements, its context, and what its errors mean."""

import threading
import time
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import NamedTuple, Protocol

from mq_common.errors import JobInterrupted, PermanentError, TransientError
from mq_common.events import MediaEvent

ErrorTypes = tuple[type[BaseException], ...]

#: A longer error text is cut: it goes into logs and into the store.
MAX_MESSAGE_CHARS = 2000


class JobContext(NamedTuple):
    """What a job may want to know. ``deadline`` in monotonic seconds; ``attempt`` counts from 1."""

    channel: str
    worker: str
    attempt: int
    deadline: float
    #: Set when the worker has to stop now: end your children and raise an error of the interrupted kind.
    cancelled: threading.Event
    #: True when the broker dead-letters the message, should this delivery end without a word (a crash, a lost channel).
    last_delivery: bool = False
    #: How often the message came back to its queue before, because a worker that had it was lost.
    returns: int = 0

    def remaining(self) -> float:
        """Give the seconds until the deadline, never negative."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a worker gave up on a message. ``seconds``: how long the last try took."""

    error_class: str
    message: str
    permanent: bool
    attempts: int
    worker: str
    failed_at: datetime
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FailedAttempt(Failure):
    """A try that failed and is followed by another, in ``retry_in_s`` seconds; ``attempts`` counts it."""

    retry_in_s: float = 0.0


class Job(Protocol):
    """A channel's work, called on one of the worker's job threads."""

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        """Do the work; True when it was done, False when it had been done before (a duplicate delivery)."""
        ...

    def attempt_failed(self, event: MediaEvent, failed: FailedAttempt) -> None:
        """Keep that a try failed and another one follows, for those who look at the asset meanwhile or afterwards."""
        ...

    def gave_up(self, event: MediaEvent, failure: Failure) -> None:
        """Keep the reason where operators find it. Called before the message goes to the dead-letter queue."""
        ...


class JobEnd(Enum):
    """How a job ended."""

    DONE = "done"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class ErrorKinds:
    """Which foreign errors mean what. mq_common's own are always recognised; an unknown error counts as transient."""

    permanent: ErrorTypes = ()
    transient: ErrorTypes = ()
    interrupted: ErrorTypes = ()

    def is_interruption(self, error: BaseException) -> bool:
        """Tell whether the job was stopped rather than failed."""
        return isinstance(error, (JobInterrupted, *self.interrupted))

    def is_permanent(self, error: BaseException) -> bool:
        """Tell whether another try is pointless. What is listed as transient wins over a listed base class."""
        if isinstance(error, (TransientError, *self.transient)):
            return False
        return isinstance(error, (PermanentError, *self.permanent)) or not isinstance(error, Exception)


def describe(error: BaseException | None) -> str:
    """Give an error's class and text in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:MAX_MESSAGE_CHARS] if text else type(error).__name__
