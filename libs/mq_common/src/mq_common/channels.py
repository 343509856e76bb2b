"""The channels file: what each channel's queue and workers look like."""

import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mq_common.errors import ConfigurationError
from mq_common.validation import first_error

Profile = Literal["media", "simulated"]

#: A channel's name becomes part of queue names, routing keys, folders and metric labels.
CHANNEL_NAME = re.compile(r"^[a-z][a-z0-9_-]{0,31}$")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RetryPolicy(_Model):
    """Tries after the first one, inside the worker and invisible to the broker. Waits in milliseconds."""

    count: int = Field(ge=0, le=100)
    initial_ms: int = Field(ge=0)
    multiplier: float = Field(ge=1.0)
    max_ms: int = Field(ge=0)


class WorkerBounds(_Model):
    """Fewest and most workers when scaled by queue length."""

    min: int = Field(ge=0)
    max: int = Field(ge=1)

    @model_validator(mode="after")
    def _ordered(self) -> "WorkerBounds":
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self


class SimulatedProviderSpec(_Model):
    """How the pretended provider of simulated assets behaves: latency in milliseconds, failing share of assets 0–1."""

    latency_ms: int = Field(ge=0)
    failure_rate: float = Field(ge=0.0, le=1.0)


class ChannelSpec(_Model):
    """One channel: its queue's arguments and its workers' habits."""

    name: str
    delivery_limit: int = Field(ge=1)
    job_time_limit_s: Annotated[float, Field(gt=0)]
    max_length: int | None = Field(default=None, ge=1)
    prefetch: int = Field(ge=1, le=65535)
    concurrency: int = Field(ge=1, le=1000)
    retries: RetryPolicy
    workers: WorkerBounds
    messages_per_worker: int = Field(ge=1)
    simulated: SimulatedProviderSpec

    @property
    def queue(self) -> str:
        """Name of the work queue."""
        return f"media.{self.name}"

    @property
    def dead_letter_queue(self) -> str:
        """Name of the queue that keeps what could not be processed."""
        return f"media.{self.name}.dlq"

    @model_validator(mode="after")
    def _consistent(self) -> "ChannelSpec":
        if not CHANNEL_NAME.match(self.name):
            raise ValueError(f"channel name {self.name!r} must match {CHANNEL_NAME.pattern}")
        if self.concurrency > self.prefetch:
            raise ValueError(
                f"concurrency {self.concurrency} is above prefetch {self.prefetch}: the surplus could never run"
            )
        return self


def load_channels(path: Path | None = None, profile: str = "media") -> dict[str, ChannelSpec]:
    """Read the channels file (the packaged one when ``path`` is None) for one profile, by channel name.

    Raises ConfigurationError that names the file and the key when it can't be read or a value is wrong.
    """
    source = str(path) if path else "the packaged channels.toml"
    try:
        text = path.read_text("utf-8") if path else _packaged_text()
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"MEDIAFLOW_CHANNELS: {source} can't be read: {error}") from error
    bases: dict[str, Any] = document.get("channels", {})
    habits: dict[str, Any] = document.get("profiles", {}).get(profile, {})
    if not bases:
        raise ConfigurationError(f"MEDIAFLOW_CHANNELS: {source} has no [channels.<name>] table")
    stray = sorted(set(habits) - set(bases))
    if stray:
        raise ConfigurationError(
            f"MEDIAFLOW_CHANNELS: {source} has [profiles.{profile}.{stray[0]}] but no [channels.{stray[0]}]"
        )
    return {name: _channel(name, base, habits, profile, source) for name, base in bases.items()}


def channel_of(channels: dict[str, ChannelSpec], name: str) -> ChannelSpec:
    """Give the channel's entry, or raise ConfigurationError that lists the names there are."""
    try:
        return channels[name]
    except KeyError:
        known = ", ".join(channels)
        raise ConfigurationError(f"no channel {name!r} in the channels file; it has: {known}") from None


def _packaged_text() -> str:
    return resources.files("mq_common").joinpath("channels.toml").read_text("utf-8")


def _channel(name: str, base: Any, habits: dict[str, Any], profile: str, source: str) -> ChannelSpec:
    if name not in habits:
        raise ConfigurationError(f"MEDIAFLOW_CHANNELS: {source} lacks [profiles.{profile}.{name}]")
    if not isinstance(base, dict) or not isinstance(habits[name], dict):
        raise ConfigurationError(f"MEDIAFLOW_CHANNELS: {source}: {name} must be a table")
    try:
        return ChannelSpec(name=name, **{**base, **habits[name]})
    except ValidationError as error:
        raise ConfigurationError(f"MEDIAFLOW_CHANNELS: {source}: channel {name}: {first_error(error)}") from None
