"""Events and workers for tests of jobs, without a broker."""

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from media_common.layout import source_key
from media_common.media_store import MediaStore


@dataclass(frozen=True)
class StoredSource:
    key: str
    size: int


@dataclass(frozen=True)
class UploadEvent:
    event_id: str
    asset_id: str
    source: StoredSource | None


@dataclass(frozen=True)
class WorkerContext:
    worker: str = "w1"
    attempt: int = 1
    cancelled: threading.Event = field(default_factory=threading.Event)
    deadline: float = field(default_factory=lambda: time.monotonic() + 60)

    def remaining(self) -> float:
        return self.deadline - time.monotonic()


@dataclass(frozen=True)
class GivenUp:
    error_class: str = "BadMedia"
    message: str = "the file is empty"
    permanent: bool = True
    attempts: int = 1
    worker: str = "w1"
    failed_at: datetime = field(default_factory=lambda: datetime.now(UTC))


def uploaded(store: MediaStore, video: Path, *, asset_id: str = "a1", event_id: str = "e1") -> UploadEvent:
    """Put a video where an upload would, and give its event."""
    key = source_key(asset_id)
    store.put_file(key, video, "video/mp4")
    return UploadEvent(event_id, asset_id, StoredSource(key, video.stat().st_size))
