"""ffmpeg, within the bounds of a task."""

from collections.abc import Sequence

from media_common.child import RunReport
from media_common.ffmpeg import run_ffmpeg
from media_common.job_contract import Task


def run_for(task: Task, arguments: Sequence[str], *, step: str | None = None, share: float = 1.0) -> RunReport:
    """Run ffmpeg in the folder of the task's outputs, for as long as the task has left.

    step: what the progress says is being done; None reports none. share: the part of the whole job, 0-1, which
    this run is; the first one of a job. Raises as `media_common.ffmpeg.run_ffmpeg`.
    """
    return run_ffmpeg(
        arguments,
        cwd=task.outputs,
        time_limit_s=task.remaining(),
        memory_limit_mb=task.settings.memory_limit_mb,
        cancelled=task.cancelled,
        duration_s=task.info.duration_s,
        on_progress=None if step is None else lambda percent: task.progress(percent * share, step),
    )
