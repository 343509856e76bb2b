"""Runs a channel's real job, as its worker builds it, on files named on standard input: CHANNEL.

A line in is the path of a video; a line out is what the job on it cost. The process stays, as a worker's does, so
imports are not measured.
"""

import importlib
import os
import resource
import sys
import threading
import time
from pathlib import Path

from media_common.layout import result_key, source_key
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from mediaflow_bench.programs.outcome import tell
from mq_common.channels import load_channels
from mq_common.events import MediaEvent, Source
from mq_common.jobs import JobContext
from mq_common.logs import configure_logging
from mq_common.settings import LogSettings

_LIMIT_S = 1200.0


def main(channel: str) -> None:
    """Serve until standard input ends."""
    configure_logging(channel, LogSettings(log_format="json"))
    spec = load_channels()[channel]
    job = importlib.import_module(f"{channel}.__main__").build_job(spec)
    store = open_store(StoreSettings())
    for number, line in enumerate(sys.stdin):
        event = _uploaded(store, f"bench-{number}", Path(line.strip()))
        context = JobContext(channel, "bench", 1, time.monotonic() + _LIMIT_S, threading.Event())
        before, began = os.times(), time.perf_counter()
        done = job.run(event, context)
        seconds, after = time.perf_counter() - began, os.times()
        result = store.get_json(result_key(event.asset_id, channel)) or {}
        tell(
            done=done,
            wall_s=seconds,
            cpu_s=sum(after[:4]) - sum(before[:4]),
            peak_mb=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6,
            details=result.get("details"),
            outputs=result.get("outputs"),
            asset_id=event.asset_id,
        )


def _uploaded(store: MediaStore, asset_id: str, video: Path) -> MediaEvent:
    key = source_key(asset_id)
    store.put_file(key, video, "video/mp4")
    source = Source(key=key, size=video.stat().st_size, sha256="0" * 64, content_type="video/mp4", file_name=video.name)
    return MediaEvent.create(asset_id=asset_id, owner_id="bench", source=source)


if __name__ == "__main__":
    main(sys.argv[1])
