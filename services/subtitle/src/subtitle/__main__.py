"""The subtitle worker: wires its work to the store and to its channel's queue."""

import sys
from functools import partial

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
from subtitle.job import SubtitleWork
from subtitle.recognise.engines import choose_engine
from subtitle.settings import SubtitleSettings

CHANNEL = "subtitle"
#: The channel whose folder holds the multivariant playlist.
MASTER_CHANNEL = "transcode"
#: MiB for the packaged model (376 measured) and for taking the sound out of a video.
_LISTENING_MB, _DECODING_MB = 512, 128


def build_job(spec: ChannelSpec) -> ChannelJob:
    """Wire the work to the store. Raises ConfigurationError, also for an engine that is not there."""
    store_settings, media, settings = load_settings(StoreSettings, MediaSettings, SubtitleSettings, owner="SUBTITLE_")
    engine = choose_engine(settings)
    store = open_store(store_settings)
    return ChannelJob(
        store,
        CHANNEL,
        SubtitleWork(engine, within_container(settings, spec.concurrency, usual_mb=_LISTENING_MB)),
        settings=within_container(media, spec.concurrency, usual_mb=_DECODING_MB),
        simulate=SimulatedProvider(spec),
        after_commit=partial(publish_master, store, master_channel=MASTER_CHANNEL),
    )


def main() -> int:
    """Run the worker until it is stopped; gives the exit code."""
    return exit_code_of(
        lambda: run_worker(CHANNEL, build_job, permanent=PERMANENT, transient=TRANSIENT, interrupted=INTERRUPTED)
    )


if __name__ == "__main__":
    sys.exit(main())
