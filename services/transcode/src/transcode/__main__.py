"""The transcode worker: ``python -m transcode``."""

import os
import sys
from functools import partial

from media_common.cpus import cpus_per_job
from media_common.errors import INTERRUPTED, PERMANENT, TRANSIENT
from media_common.hls import publish_master
from media_common.job import ChannelJob
from media_common.memory_share import within_container
from media_common.settings import MediaSettings, StoreSettings
from media_common.store import open_store
from mq_common.channels import ChannelSpec
from mq_common.process import exit_code_of
from mq_common.settings import load_settings
from mq_common.simulation import SimulatedProvider
from mq_common.worker import run_worker
from transcode.job import Transcode
from transcode.settings import TranscodeSettings

CHANNEL = "transcode"
#: MiB for the renditions of a 1080p video, or a 4K one, with four threads: 1089 measured.
_USUAL_MB = 1280


def build_job(spec: ChannelSpec) -> ChannelJob:
    """Wire the work to the store. Raises ConfigurationError."""
    store_settings, media, settings = load_settings(StoreSettings, MediaSettings, TranscodeSettings, owner="TRANSCODE_")
    os.nice(settings.nice)
    store = open_store(store_settings)
    return ChannelJob(
        store,
        CHANNEL,
        Transcode(settings.threads or cpus_per_job(spec.concurrency), settings.max_frame_rate),
        settings=within_container(media, spec.concurrency, usual_mb=_USUAL_MB),
        simulate=SimulatedProvider(spec),
        after_commit=partial(publish_master, store, master_channel=CHANNEL),
    )


def main() -> int:
    """Run the worker until it is stopped; gives the exit code."""
    return exit_code_of(
        lambda: run_worker(CHANNEL, build_job, permanent=PERMANENT, transient=TRANSIENT, interrupted=INTERRUPTED)
    )


if __name__ == "__main__":
    sys.exit(main())
