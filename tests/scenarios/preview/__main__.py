"""The preview worker: ``python -m preview``."""

import sys

from media_common.errors import INTERRUPTED, PERMANENT, TRANSIENT
from media_common.job import ChannelJob, Task
from media_common.settings import MediaSettings, StoreSettings
from media_common.store import open_store
from mq_common.channels import ChannelSpec
from mq_common.process import exit_code_of
from mq_common.settings import load_settings
from mq_common.simulation import SimulatedProvider
from mq_common.worker import run_worker

CHANNEL = "preview"


def describe(task: Task) -> dict[str, object]:
    """Do the channel's work on a real file: say in one line what it is."""
    line = f"{task.info.format_name}, {task.info.duration_s:.1f} s\n"
    (task.outputs / "preview.txt").write_text(line)
    return {"line": line.strip()}


def build_job(spec: ChannelSpec) -> ChannelJob:
    """Wire the work to the store."""
    store, media = load_settings(StoreSettings, MediaSettings)
    return ChannelJob(open_store(store), CHANNEL, describe, settings=media, simulate=SimulatedProvider(spec))


if __name__ == "__main__":
    sys.exit(
        exit_code_of(
            lambda: run_worker(CHANNEL, build_job, permanent=PERMANENT, transient=TRANSIENT, interrupted=INTERRUPTED)
        )
    )
