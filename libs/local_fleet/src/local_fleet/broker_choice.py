"""Which broker the fleet uses: the user's own, a private node, or a container."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from local_fleet.broker import BrokerAddress, PrivateBroker, server_program
from local_fleet.docker_broker import DockerBroker, docker_answers
from local_fleet.errors import BrokerNotInstalled
from local_fleet.run_folder import RunFolder
from local_fleet.settings import FleetSettings, given_amqp_url


class BrokerNode(Protocol):
    """A broker that the fleet starts and stops itself."""

    @property
    def pid(self) -> int | None: ...  # noqa: D102
    @property
    def is_running(self) -> bool: ...  # noqa: D102
    @property
    def log_file(self) -> Path: ...  # noqa: D102
    def start(self, *, wait: bool) -> BrokerAddress: ...  # noqa: D102
    def is_ready(self) -> bool: ...  # noqa: D102
    def stop(self, grace_s: float) -> bool: ...  # noqa: D102
    def last_words(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class BrokerChoice:
    """The broker in use; `node` is None when it is the user's own."""

    kind: str
    node: BrokerNode | None = None
    amqp_url: str | None = field(default=None, repr=False)
    management_url: str | None = field(default=None, repr=False)


def choose_broker(settings: FleetSettings, folder: RunFolder) -> BrokerChoice:
    """Decide. Raises BrokerNotInstalled with what to do when there is nothing to use."""
    amqp_url = given_amqp_url()
    if amqp_url and settings.fleet_broker == "auto":
        return BrokerChoice("given by AMQP_URL", None, amqp_url, os.environ.get("MEDIAFLOW_MANAGEMENT_URL"))
    if settings.fleet_broker != "docker" and server_program():
        return BrokerChoice("private node", PrivateBroker(folder.broker, marks=folder.marks("broker")))
    if settings.fleet_broker != "private" and docker_answers():
        node = DockerBroker(folder.broker, settings.fleet_docker_image, marks=folder.marks("broker"))
        return BrokerChoice("Docker container", node)
    raise BrokerNotInstalled(
        "no broker: install rabbitmq-server (apt-get install rabbitmq-server), start Docker, or set AMQP_URL"
    )
