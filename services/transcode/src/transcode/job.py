"""The channel's own work: one ffmpeg run, then a look at what it made."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from media_common.job import Task
from media_common.task_ffmpeg import run_for
from transcode.arguments import plan_for, transcode_arguments
from transcode.hls import describe
from transcode.made import check_whole, look_at


@dataclass(frozen=True, slots=True)
class Transcode:
    """Makes the HLS ladder of one file. threads: of each decoder, filter and encoder."""

    threads: int
    max_frame_rate: float

    def __call__(self, task: Task) -> Mapping[str, object]:
        """Leave playlists and segments in the task's outputs and describe them.

        Raises BadMedia when the file breaks off or nothing in it can be decoded.
        """
        plan = plan_for(task.info, self.max_frame_rate)
        for folder in plan.folders:
            (task.outputs / folder).mkdir()
        run_for(task, transcode_arguments(task.source, task.info, plan, self.threads), step="encoding")
        made = look_at(task.outputs, plan)
        check_whole(task.info, plan, made)
        for folder in set(plan.folders) - set(made):
            shutil.rmtree(task.outputs / folder)  # an empty sound track
        return describe(plan, made)
