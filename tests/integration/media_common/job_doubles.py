"""Events, workers and work for tests of jobs, without a broker."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from media_common.ffmpeg import input_arguments
from media_common.job import ChannelJob, Task, Work
from media_common.layout import channel_prefix, source_key
from media_common.media_store import MediaStore
from media_common.settings import MediaSettings
from media_common.task_ffmpeg import run_for

PREFIX = channel_prefix("a1", "thumbnail")


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
    last_delivery: bool = False
    returns: int = 0
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
    seconds: float = 2.0


@dataclass(frozen=True)
class TriedInVain(GivenUp):
    permanent: bool = False
    retry_in_s: float = 0.5


def uploaded(store: MediaStore, video: Path, *, asset_id: str = "a1", event_id: str = "e1") -> UploadEvent:
    """Put a video where an upload would, and give its event."""
    key = source_key(asset_id)
    store.put_file(key, video, "video/mp4")
    return UploadEvent(event_id, asset_id, StoredSource(key, video.stat().st_size))


def poster(task: Task) -> Mapping[str, object]:
    """A real, small piece of work: one picture in a folder, and a playlist beside it."""
    (task.outputs / "big").mkdir()
    task.progress(50.0, "poster")
    run_for(task, [*input_arguments(task.source), "-frames:v", "1", "big/poster.jpg"])
    (task.outputs / "index.m3u8").write_text("#EXTM3U\n")
    return {"width": task.info.video.width if task.info.video else None}


def job_doing(store: MediaStore, settings: MediaSettings, work: Work) -> ChannelJob:
    """Give the thumbnail channel's job, with another work."""
    return ChannelJob(store, "thumbnail", work, settings=settings)
