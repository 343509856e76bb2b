"""What a job is given and what it gives: Protocols, so that no broker code is needed here."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from media_common.media_info import MediaInfo
from media_common.settings import MediaSettings


class Source(Protocol):
    """The uploaded file an event speaks of."""

    @property
    def key(self) -> str:
        """Its key in the store."""

    @property
    def size(self) -> int:
        """Its size in bytes."""


class Event(Protocol):
    """What a job needs of the event that starts it."""

    @property
    def event_id(self) -> str:
        """What two deliveries of one event have in common."""

    @property
    def asset_id(self) -> str:
        """The asset to work on."""

    @property
    def source(self) -> Source | None:
        """The file; None for simulated load."""


class Context(Protocol):
    """What a job needs of the worker that runs it."""

    @property
    def worker(self) -> str:
        """The worker's name."""

    @property
    def attempt(self) -> int:
        """Counted from 1."""

    @property
    def cancelled(self) -> threading.Event:
        """Set when the job has to stop."""

    @property
    def returns(self) -> int:
        """How often the message came back before, because a worker that had it was lost."""

    @property
    def last_delivery(self) -> bool:
        """True when the broker dead-letters the message, should this worker die now."""

    def remaining(self) -> float:
        """Seconds left for the job."""


class Failure(Protocol):
    """Why a job was given up."""

    @property
    def error_class(self) -> str:
        """The name of the error's class."""

    @property
    def message(self) -> str:
        """What was wrong, in one sentence."""

    @property
    def permanent(self) -> bool:
        """Whether trying again was pointless."""

    @property
    def attempts(self) -> int:
        """How often it was tried."""

    @property
    def worker(self) -> str:
        """Who tried last."""

    @property
    def failed_at(self) -> datetime:
        """When it was given up."""

    @property
    def seconds(self) -> float:
        """How long the last try took."""


class FailedAttempt(Failure, Protocol):
    """A try that failed and is followed by another; ``attempts`` counts it, ``failed_at`` is when it ended."""

    @property
    def retry_in_s(self) -> float:
        """Seconds until the next try."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a channel's work gets.

    source: the file, to be read only. outputs: an empty folder; every file left in it becomes an output under
    its relative path. progress: takes per cent (0-100) and what is being done. remaining: seconds left.
    """

    asset_id: str
    channel: str
    source: Path
    info: MediaInfo
    outputs: Path
    progress: Callable[[float, str | None], None]
    cancelled: threading.Event
    remaining: Callable[[], float]
    settings: MediaSettings


class Work(Protocol):
    """A channel's own part: makes the outputs, checks that they are whole, returns details for result.json."""

    def __call__(self, task: Task, /) -> Mapping[str, object]:
        """Do it. Raises BadMedia, ToolFailed and the other errors of ``media_common.errors``."""
