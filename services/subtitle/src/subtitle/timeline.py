"""Where a file's time begins, so that cues fit its HLS renditions, whose first moment is 0."""

from media_common.child import run_child
from media_common.ffmpeg import input_arguments
from media_common.job import Task

#: A picture that starts this little after the sound (seconds) only waits for the audio encoder's delay:
#: what was timed to the picture was timed to its first frame.
ENCODER_DELAY_S = 0.1


def beginning(task: Task) -> float:
    """Give the moment of the file's own clock that counts as 0, in seconds.

    It is the picture's first frame, or the first sound where that starts clearly earlier.
    """
    video = task.info.video
    if video is not None and abs(video.start_s) < ENCODER_DELAY_S:
        return video.start_s
    file_start_s = _file_start(task)
    return zero_of(file_start_s, video.start_s if video else None)


def zero_of(file_start_s: float, picture_start_s: float | None) -> float:
    """Choose between the file's first moment and the picture's (seconds). Pure."""
    if picture_start_s is not None and picture_start_s - file_start_s < ENCODER_DELAY_S:
        return picture_start_s
    return file_start_s


def _file_start(task: Task) -> float:
    command = [
        "ffprobe",
        "-v",
        "error",
        "-show_entries",
        "format=start_time",
        "-of",
        "default=noprint_wrappers=1:nokey=1",
    ]
    report = run_child(
        [*command, *input_arguments(task.source)],
        cwd=task.outputs,
        time_limit_s=min(task.remaining(), task.settings.probe_time_limit_s),
        memory_limit_mb=task.settings.memory_limit_mb,
        cancelled=task.cancelled,
        judges_input=True,
    )
    try:
        return float(report.stdout)
    except ValueError:  # "N/A": a container without times
        return 0.0
