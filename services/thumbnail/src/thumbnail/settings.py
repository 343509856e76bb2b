"""Settings of the thumbnail service (MEDIAFLOW_THUMBNAIL_*)."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mq_common.settings import Settings


class ThumbnailSettings(Settings):
    """How large and how many the pictures are."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_THUMBNAIL_")

    tiles: int = Field(default=100, ge=1, le=1000, description="preview pictures of one video, at most")
    tile_px: int = Field(default=160, ge=16, le=640, description="longer side of a preview picture, pixels")
    poster_px: int = Field(default=1280, ge=64, le=7680, description="longer side of the poster, pixels at most")
    threads: int | None = Field(
        default=None, ge=1, le=256, description="threads of one job; default: the processors shared by the job slots"
    )
