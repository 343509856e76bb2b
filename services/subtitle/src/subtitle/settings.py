"""Settings of the subtitle service (MEDIAFLOW_SUBTITLE_*)."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from media_common.cpus import available_cpus
from mq_common.settings import Settings

#: More threads make one recognition hardly faster; more workers do.
_USEFUL_THREADS = 4


class SubtitleSettings(Settings):
    """How speech becomes text where a video brings no text track."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_SUBTITLE_")

    engine: Literal["auto", "whisper", "pocketsphinx", "none"] = Field(
        default="auto",
        description="auto: whisper where it is installed with a model, else pocketsphinx (a draft)",
    )
    whisper_model: Path | None = Field(
        default=None,
        description="folder of a CTranslate2 Whisper model; default: the packaged English tiny.en",
    )
    threads: int = Field(
        default_factory=lambda: min(_USEFUL_THREADS, available_cpus()),
        ge=1,
        le=256,
        description="threads of the recogniser",
    )
    memory_limit_mb: int = Field(
        default=2048,
        ge=512,
        description="memory of the recogniser in MiB; the packaged model needs 450, larger ones more",
    )
