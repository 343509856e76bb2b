"""Runs a channel's real job on a file, against a real local store, without a broker."""

import hashlib
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from media_common.job import ChannelJob, Work
from media_common.layout import channel_prefix, progress_key, result_key, source_key
from media_common.settings import MediaSettings, StoreSettings
from media_common.store import MediaStore, open_store
from mq_common.events import MediaEvent, Source
from mq_common.worker import JobContext


@dataclass(frozen=True)
class Done:
    """A finished job: its result.json, and the folder of its outputs."""

    result: dict[str, Any]
    folder: Path
    progress: dict[str, Any] | None

    @property
    def details(self) -> Any:
        return self.result["details"]

    @property
    def names(self) -> list[str]:
        return sorted(output["name"] for output in self.result["outputs"])


class Desk:
    """One channel's desk: takes a file, runs the job, shows what lies in the store afterwards."""

    def __init__(self, folder: Path, channel: str, work: Work, *, publish: Any = None, **limits: Any) -> None:
        self.store: MediaStore = open_store(StoreSettings(store_url=(folder / "store").as_uri(), store_fsync=False))
        self.settings = MediaSettings(scratch_dir=folder / "scratch", **limits)
        self.channel, self._folder = channel, folder
        after = (lambda asset: publish(self.store, asset, channel)) if publish else None
        self.job = ChannelJob(self.store, channel, work, settings=self.settings, after_commit=after)
        self.cancelled = threading.Event()

    def upload(self, path: Path, asset_id: str = "asset-1") -> MediaEvent:
        """Put a file in the store and give the event that ingest would publish."""
        key, content = source_key(asset_id), path.read_bytes()
        self.store.put_bytes(key, content, content_type="video/mp4")
        digest = hashlib.sha256(content).hexdigest()
        source = Source(key=key, size=len(content), sha256=digest, content_type="video/mp4", file_name=path.name)
        return MediaEvent.create(asset_id=asset_id, owner_id="tests", source=source)

    def run(self, path: Path, *, time_limit_s: float = 120.0) -> Done:
        """Upload a file and do the job on it; raises what the job raises."""
        event = self.upload(path)
        assert self.deliver(event, time_limit_s=time_limit_s)
        return self.look(event.asset_id)

    def deliver(self, event: MediaEvent, *, time_limit_s: float = 120.0) -> bool:
        """Deliver an event once; True when work was done."""
        deadline = time.monotonic() + time_limit_s
        context = JobContext(self.channel, "tests", 1, deadline, self.cancelled)
        return self.job.run(event, context)

    def look(self, asset_id: str = "asset-1") -> Done:
        """Read what is committed."""
        result = self.store.get_json(result_key(asset_id, self.channel))
        assert result is not None
        folder = self.store.local_path(channel_prefix(asset_id, self.channel) + "result.json")
        assert folder is not None
        return Done(result, folder.parent, self.store.get_json(progress_key(asset_id, self.channel)))

    @property
    def left_behind(self) -> list[str]:
        """What the job left in its scratch folder."""
        return [path.name for path in self.settings.scratch_dir.glob("*")]

    @property
    def left_nothing(self) -> bool:
        """Whether a job that failed left no output, no result and no scratch file."""
        kept = {key.rsplit("/", 1)[1] for key in self.store.list_keys(channel_prefix("asset-1", self.channel))}
        return not self.left_behind and kept <= {"progress.json", "attempts.json"}
