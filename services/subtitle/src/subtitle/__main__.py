"""The subtitle worker: one channel, its job, and what it needs."""

import sys

from media_common import errors
from media_common.hls import publish_master
from media_common.job import ChannelJob
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


def work() -> int:
    """Consume the channel until asked to stop."""
    settings, media, store_settings = load_settings(SubtitleSettings, MediaSettings, StoreSettings, owner="SUBTITLE_")
    subtitle_work = SubtitleWork(choose_engine(settings), settings)
    store = open_store(store_settings)

    def build_job(spec: ChannelSpec) -> ChannelJob:
        return ChannelJob(
            store,
            CHANNEL,
            subtitle_work,
            settings=media,
            simulate=SimulatedProvider(spec),
            after_commit=lambda asset_id: publish_master(store, asset_id, MASTER_CHANNEL),
        )

    return run_worker(
        CHANNEL, build_job, permanent=errors.PERMANENT, transient=errors.TRANSIENT, interrupted=errors.INTERRUPTED
    )


def main() -> int:
    """Run the worker; the exit code says why it ended."""
    return exit_code_of(work)


if __name__ == "__main__":
    sys.exit(main())
