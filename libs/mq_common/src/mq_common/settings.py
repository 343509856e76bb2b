"""Settings from environment variables: small frozen classes, one per dependency, checked before anything starts."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from mq_common.channels import Profile
from mq_common.errors import ConfigurationError
from mq_common.node_addresses import node_urls

PREFIX = "MEDIAFLOW_"

#: One environment serves the whole fleet, so a process must not stumble over a neighbour's variables.
#: Variables under these prefixes are checked by the process that owns them.
NEIGHBOURS = ("INGEST_", "THUMBNAIL_", "TRANSCODE_", "SUBTITLE_", "REPLAYER_", "CONSOLE_", "FLEET_", "LOAD_")
#: Variables of a library: checked by every process that reads some of them.
SHARED = ("STORE_", "MEDIA_", "OUTBOX")


class Settings(BaseSettings):
    """Base of every settings class: frozen, read from MEDIAFLOW_* variables."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", populate_by_name=True)


class BrokerSettings(Settings):
    """Where the broker is, and how long anything may wait for it. All durations in seconds."""

    #: One address, or those of a cluster's nodes: amqp://user:password@a,b,c/vhost, or whole addresses with commas.
    amqp_url: SecretStr = Field(default=SecretStr("amqp://guest:guest@localhost:5672/%2F"), validation_alias="AMQP_URL")
    #: Base address of RabbitMQ's management API, where one is needed (scaling, console).
    management_url: SecretStr | None = None
    #: How long a process tries to reach the broker before it gives up with exit code 3.
    start_limit_s: Annotated[float, Field(gt=0)] = 60.0
    heartbeat_s: Annotated[int, Field(ge=5, le=3600)] = 60
    connect_timeout_s: Annotated[float, Field(gt=0)] = 10.0

    @field_validator("amqp_url")
    @classmethod
    def _amqp(cls, value: SecretStr) -> SecretStr:
        node_urls(value.get_secret_value())
        return value


class ChannelsSettings(Settings):
    """Which channels file and which of its profiles."""

    channels: Path | None = None
    profile: Profile = "media"


class LogSettings(Settings):
    """How log lines look: ``console`` for people, ``json`` for collectors."""

    log_format: Literal["console", "json"] = "console"
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class WorkerSettings(Settings):
    """What every channel worker has: its probe's address and how long it may take to stop."""

    health_host: str = "127.0.0.1"
    #: 0 takes a free port.
    health_port: Annotated[int, Field(ge=0, le=65535)] = 8081
    #: Seconds that running jobs get to finish after SIGTERM. On Kubernetes, terminationGracePeriodSeconds minus 10.
    grace_s: Annotated[float, Field(ge=0)] = 30.0


S = TypeVar("S", bound=BaseSettings)


def load_settings(*classes: type[BaseSettings], owner: str = "") -> tuple[Any, ...]:
    """Read the classes from the environment, in their order.

    ``owner`` is this process's own variable prefix, for example ``"INGEST_"``: unknown variables under it are errors.
    Raises ConfigurationError that names the variable; values are not echoed, since some of them are secret.
    """
    _refuse_unknown(classes, owner)
    return tuple(_load(cls) for cls in classes)


def _load(cls: type[S]) -> S:
    try:
        return cls()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        raise ConfigurationError(f"{_variable(cls, field)}: {first['msg']}") from None


def _variable(cls: type[BaseSettings], field: str) -> str:
    for name, info in cls.model_fields.items():
        if field in (name, info.validation_alias):
            alias = info.validation_alias
            return alias if isinstance(alias, str) else f"{cls.model_config.get('env_prefix', '')}{name}".upper()
    return field.upper() or cls.__name__


def _refuse_unknown(classes: tuple[type[BaseSettings], ...], owner: str) -> None:
    known = {_variable(cls, name) for cls in (*classes, *_COMMON) for name in cls.model_fields}
    foreign = [name for name in NEIGHBOURS if name != owner]
    foreign += [name for name in SHARED if not any(each.startswith(f"{PREFIX}{name}") for each in known)]
    neighbours = tuple(f"{PREFIX}{name}" for name in foreign)
    for variable in sorted(os.environ):
        name = variable.upper()
        if name.startswith(PREFIX) and name not in known and not name.startswith(neighbours):
            raise ConfigurationError(f"{variable}: no such setting{_closest(name, known)}")


def _closest(name: str, known: set[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only on the way out

    matches = get_close_matches(name, known, n=1)
    return f"; did you mean {matches[0]}?" if matches else ""


_COMMON: tuple[type[BaseSettings], ...] = (BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings)
