"""A channel's worker as it runs in the fleet, and files stored as ingest stores them."""

import hashlib
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from media_common.layout import source_key
from media_common.states import read_channel_state
from media_common.store import MediaStore
from mq_common.events import MediaEvent, Source
from mq_workers import eventually

#: What one job may take here, in seconds, on a machine that is busy with other tests.
JOB_S = 120.0


@dataclass
class WorkerProcess:
    """A channel's worker process, the store it works on, and the log it writes."""

    channel: str
    process: subprocess.Popen[bytes]
    store: MediaStore
    scratch: Path
    log: Path

    def await_state(self, asset_id: str, wanted: str) -> None:
        eventually(lambda: read_channel_state(self.store, asset_id, self.channel).state == wanted, within_s=JOB_S)

    def await_line(self, *words: str) -> None:
        """Wait for a line of its log that has all these words."""
        eventually(lambda: any(all(word in line for word in words) for line in self._lines()), within_s=JOB_S)

    def _lines(self) -> list[str]:
        return self.log.read_text().splitlines()

    def crash(self) -> None:
        """SIGKILL, as the kernel's out-of-memory killer does it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)


def uploaded(store: MediaStore, asset_id: str, content: bytes) -> MediaEvent:
    """Store a file as ingest does; gives the event to publish."""
    key, digest = source_key(asset_id), hashlib.sha256(content).hexdigest()
    store.put_bytes(key, content, content_type="video/mp4")
    source = Source(key=key, size=len(content), sha256=digest, content_type="video/mp4", file_name="clip.mp4")
    return MediaEvent.create(asset_id=asset_id, owner_id="tests", source=source)
