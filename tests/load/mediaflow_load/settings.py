"""Settings of the load generator, read from MEDIAFLOW_LOAD_* variables."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_PREFIX = "MEDIAFLOW_LOAD_"

Seconds = Annotated[float, Field(ge=0)]


class BadSettings(Exception):
    """A setting is wrong or unknown; the message names the variable."""


class LoadSettings(BaseSettings):
    """What is sent where, how fast, and what counts as good."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="ignore")

    host: Annotated[str, Field(pattern=r"^https?://[^/?#@]+/?$")] = Field(
        default="http://127.0.0.1:8080", description="the front door: http or https, without a path"
    )
    rate: Annotated[float, Field(gt=0, le=10_000)] = Field(default=200.0, description="uploads per second at the top")
    requests: Annotated[int, Field(ge=1)] = Field(default=23_539, description="uploads in all")
    ramp_s: Seconds = Field(default=30.0, description="seconds from nothing to the top")
    users: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=200, description="connections at the top: requests that may be under way at once"
    )
    clips: Path | None = Field(
        default=None, description="a video, or a folder of them, that is uploaded; unset: simulated assets in JSON"
    )
    owner: Annotated[str, Field(min_length=1)] = Field(default="load", description="ownerId of the assets")
    duration_sec: Annotated[float, Field(gt=0)] = Field(default=120.0, description="durationSec of simulated assets")
    retries: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=5, description="times an upload comes again after 429 or 503, each after the answer's Retry-After"
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(default=30.0, description="an answer takes no longer")
    patience_s: Seconds = Field(default=120.0, description="seconds after the last upload for those that come again")
    start_limit_s: Seconds = Field(default=60.0, description="seconds until the front door must be ready")
    max_p95_ms: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="longest 95th percentile of the accepted ones; unset: not judged"
    )
    max_failures: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.0, description="largest share of the uploads that may fail or be given up"
    )
    metrics_host: str = Field(default="127.0.0.1", description="address of /metrics; 0.0.0.0 for all")
    metrics_port: Annotated[int, Field(ge=0, le=65_535)] = Field(default=9646, description="0 takes a free port")
    linger_s: Seconds = Field(default=0.0, description="seconds that /metrics stays after the end, for the last scrape")
    summary: Path | None = Field(default=None, description="file that gets the summary as JSON")

    @field_validator("clips")
    @classmethod
    def _there(cls, value: Path | None) -> Path | None:
        if value is not None and not value.exists():
            raise ValueError(f"{value} is not there")
        return value


def read_settings(environment: Mapping[str, str] = os.environ) -> LoadSettings:
    """Read and check them all. Raises BadSettings."""
    known = {f"{_PREFIX}{name}".upper() for name in LoadSettings.model_fields}
    unknown = sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)
    if unknown:
        raise BadSettings(f"{unknown[0]}: there is no such setting; there are {', '.join(sorted(known))}")
    try:
        return LoadSettings()
    except ValidationError as error:
        first = error.errors()[0]
        raise BadSettings(f"{_PREFIX}{str(first['loc'][0]).upper()}: {first['msg']}") from None
