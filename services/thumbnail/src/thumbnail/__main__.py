"""The thumbnail worker: ``python -m thumbnail``."""

import sys

from media_common.cpus import cpus_per_job
from media_common.errors import INTERRUPTED, PERMANENT, TRANSIENT
from media_common.job import ChannelJob
from media_common.memory_share import within_container
from media_common.settings import MediaSettings, StoreSettings
from media_common.store import open_store
from mq_common.channels import ChannelSpec
from mq_common.process import exit_code_of
from mq_common.settings import load_settings
from mq_common.simulation import SimulatedProvider
from mq_common.worker import run_worker
from thumbnail.job import Thumbnail
from thumbnail.settings import ThumbnailSettings

CHANNEL = "thumbnail"
#: MiB for the pictures of a 4K video with two threads: 221 measured.
_USUAL_MB = 256


def build_job(spec: ChannelSpec) -> ChannelJob:
    """Wire the work to the store. Raises ConfigurationError."""
    store_settings, media, settings = load_settings(StoreSettings, MediaSettings, ThumbnailSettings, owner="THUMBNAIL_")
    work = Thumbnail(
        tiles=settings.tiles,
        tile_px=settings.tile_px,
        poster_px=settings.poster_px,
        threads=settings.threads or cpus_per_job(spec.concurrency),
    )
    return ChannelJob(
        open_store(store_settings),
        CHANNEL,
        work,
        settings=within_container(media, spec.concurrency, usual_mb=_USUAL_MB),
        simulate=SimulatedProvider(spec),
    )


def main() -> int:
    """Run the worker until it is stopped; gives the exit code."""
    return exit_code_of(
        lambda: run_worker(CHANNEL, build_job, permanent=PERMANENT, transient=TRANSIENT, interrupted=INTERRUPTED)
    )


if __name__ == "__main__":
    sys.exit(main())
