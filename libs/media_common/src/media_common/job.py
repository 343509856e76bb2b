"""One channel's job on one asset: fetch, probe, work, upload, commit."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from media_common.media_info import MediaInfo
from media_common.settings import MediaSettings
from media_common.store import MediaStore


class Source(Protocol):
    """The uploaded file an event speaks of."""

    @property
    def key(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def file_name(self) -> str | None: ...


class Event(Protocol):
    """What a job needs of the event that starts it."""

    @property
    def event_id(self) -> str: ...
    @property
    def asset_id(self) -> str: ...
    @property
    def source(self) -> Source | None: ...


class Context(Protocol):
    """What a job needs of the worker that runs it."""

    @property
    def worker(self) -> str: ...
    @property
    def attempt(self) -> int: ...
    @property
    def cancelled(self) -> threading.Event: ...
    def remaining(self) -> float: ...


class Failure(Protocol):
    """Why a job was given up."""

    @property
    def error_class(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def permanent(self) -> bool: ...
    @property
    def attempts(self) -> int: ...
    @property
    def worker(self) -> str: ...
    @property
    def failed_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Task:
    """What a channel's work gets. Everything left in `outputs` becomes the asset's outputs."""

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
    """A channel's own part: makes the outputs and returns the details for result.json."""

    def __call__(self, task: Task) -> Mapping[str, object]: ...


class ChannelJob:
    """Runs a channel's work so that a result is committed once, whole, or not at all."""

    def __init__(
        self,
        store: MediaStore,
        channel: str,
        work: Work,
        *,
        settings: MediaSettings,
        simulate: Callable[[str], None] | None = None,
        after_commit: Callable[[str], None] | None = None,
    ) -> None:
        self._store, self._channel, self._work = store, channel, work
        self._settings, self._simulate, self._after_commit = settings, simulate, after_commit

    def run(self, event: Event, context: Context) -> bool:
        """Do the work of an event. True: done now. False: was done before."""
        raise NotImplementedError

    def gave_up(self, event: Event, failure: Failure) -> None:
        """Write down why the event ends here."""
        raise NotImplementedError
