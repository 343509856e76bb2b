"""Settings of the transcode service (MEDIAFLOW_TRANSCODE_*)."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mq_common.settings import Settings


class TranscodeSettings(Settings):
    """How much of the machine a job may take."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_TRANSCODE_")

    threads: int | None = Field(
        default=None, ge=1, le=256, description="threads of one job; default: the processors shared by the job slots"
    )
    nice: int = Field(
        default=0, ge=0, le=19, description="niceness of the worker and its ffmpeg; 19 yields to all else"
    )
    max_frame_rate: float = Field(
        default=60.0, ge=1, le=240, description="pictures per second at most; faster sources are thinned out evenly"
    )
