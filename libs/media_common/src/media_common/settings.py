"""Settings of the store and of media jobs, read from the environment."""

import tempfile
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Frozen settings under the fleet's one prefix."""

    model_config = SettingsConfigDict(frozen=True, env_prefix="MEDIAFLOW_", extra="ignore")


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/"):
        return url
    if parts.scheme == "s3" and parts.netloc:
        return url
    raise ValueError("expected file:///absolute/folder or s3://bucket/prefix")


class StoreSettings(Settings):
    """Where objects live.

    The endpoint and the credentials of an S3-compatible service come from the usual variables:
    AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL.
    """

    store_url: Annotated[str, AfterValidator(_checked_url)] = Field(
        default="file:///var/lib/mediaflow/store",
        description="file:///absolute/folder or s3://bucket/prefix",
    )
    store_fsync: bool = Field(
        default=True,
        description="local folder: wait for the disk before an upload or a result counts as stored",
    )


class MediaSettings(Settings):
    """Bounds within which media is worked on."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_MEDIA_")

    memory_limit_mb: int = Field(
        default=4096, ge=128, description="memory of one child in MiB; a job that needs more is refused"
    )
    max_pixels: int = Field(default=7680 * 4320, ge=1, description="largest picture accepted, width x height (8K)")
    max_duration_s: float = Field(default=12 * 3600.0, gt=0, description="longest input accepted, seconds")
    probe_time_limit_s: float = Field(default=60.0, gt=0, description="time to read a file's headers, seconds")
    scratch_dir: Path = Field(
        default_factory=lambda: Path(tempfile.gettempdir()),
        description="folder for the files of running jobs",
    )
