"""The fleet's own settings, MEDIAFLOW_FLEET_*, and those of its neighbours that it has to know."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, Settings, load_settings


class FleetSettings(Settings):
    """Where the fleet lives and what it is made of."""

    #: Everything the fleet keeps: logs, process files, the private broker's data, the media store.
    fleet_folder: Path = Path(".run")
    #: auto: AMQP_URL when set, else a private node, else Docker.
    fleet_broker: Literal["auto", "private", "docker"] = "auto"
    fleet_docker_image: str = "rabbitmq:4.2-management"
    #: Other commands than `python -m <channel>`: "poster=/opt/poster/run --fast; ingest=python -m my_ingest".
    fleet_commands: str = ""
    #: Workers at the start where they differ from the channel's minimum: "transcode=2, subtitle=0".
    fleet_workers: str = ""
    #: Whether the operators' console is part of the fleet.
    fleet_console: Literal["on", "off"] = "on"
    #: How long fewer workers must have been enough before the autoscaler stops some, in seconds.
    fleet_cooldown_s: Annotated[float, Field(ge=0)] = 60.0
    #: How long `up` waits for everything to be ready, in seconds.
    fleet_start_limit_s: Annotated[float, Field(gt=0)] = 180.0

    # Read by scripts/bootstrap before any Python package is there; named here so that they are known.
    fleet_install: Literal["auto", "never"] = "auto"
    fleet_python: str = ""
    fleet_venv: str = ""

    # Marks of a process of the fleet, set by the supervisor.
    fleet_run: str = ""
    fleet_name: str = ""

    @field_validator("fleet_commands")
    @classmethod
    def _commands(cls, value: str) -> str:
        for name, command in _pairs(value, ";"):
            if not name or not shlex.split(command):
                raise ValueError("expected name=command; name=command")
        return value

    @field_validator("fleet_workers")
    @classmethod
    def _workers(cls, value: str) -> str:
        for name, count in _pairs(value, ","):
            if not name or not count.isdecimal():
                raise ValueError("expected channel=number, channel=number")
        return value

    @property
    def commands(self) -> dict[str, tuple[str, ...]]:
        """Commands by process name; a leading `python` is the fleet's own interpreter."""
        parsed = {name: shlex.split(command) for name, command in _pairs(self.fleet_commands, ";")}
        return {
            name: (sys.executable if words[0] == "python" else words[0], *words[1:]) for name, words in parsed.items()
        }

    @property
    def workers(self) -> dict[str, int]:
        """Workers at the start by channel, where given."""
        return {name: int(count) for name, count in _pairs(self.fleet_workers, ",")}


class IngestEndpoint(Settings):
    """Where ingest listens."""

    ingest_host: str = "127.0.0.1"
    ingest_port: Annotated[int, Field(ge=1, le=65535)] = 8080

    @property
    def url(self) -> str:
        """Address for people on this machine."""
        return _address(self.ingest_host, self.ingest_port)


class ConsoleEndpoint(Settings):
    """Where the console listens."""

    console_host: str = "127.0.0.1"
    console_port: Annotated[int, Field(ge=1, le=65535)] = 8090

    @property
    def url(self) -> str:
        """Address for people on this machine."""
        return _address(self.console_host, self.console_port)


def load_fleet_settings() -> tuple[
    FleetSettings, IngestEndpoint, ConsoleEndpoint, BrokerSettings, ChannelsSettings, LogSettings
]:
    """Read all the settings the fleet needs. Raises mq_common's ConfigurationError that names the variable."""
    classes = (FleetSettings, IngestEndpoint, ConsoleEndpoint, BrokerSettings, ChannelsSettings, LogSettings)
    fleet, ingest, console, broker, channels, logs = load_settings(*classes, owner="FLEET_")
    return fleet, ingest, console, broker, channels, logs


def given_amqp_url() -> str | None:
    """Give the address of the user's own broker, when AMQP_URL is set."""
    return os.environ.get("AMQP_URL") or None


def _address(host: str, port: int) -> str:
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::", "::1") else host  # noqa: S104
    return f"http://{shown}:{port}"


def _pairs(text: str, separator: str) -> list[tuple[str, str]]:
    pairs = (each.partition("=") for each in text.split(separator) if each.strip())
    return [(name.strip(), value.strip()) for name, _, value in pairs]
