"""The broker in a container, with a stand-in for the docker command."""

import json
import os
import sys
from pathlib import Path

import pytest

from local_fleet.broker_choice import choose_broker
from local_fleet.docker_broker import DockerBroker
from local_fleet.errors import BrokerNotInstalled
from local_fleet.run_folder import RunFolder
from local_fleet.settings import FleetSettings

STUB = Path(__file__).with_name("stub_docker.py")


@pytest.fixture
def containers(tmp_path, monkeypatch) -> Path:
    """A machine whose docker command is the stand-in; gives the folder with a file for each container."""
    for folder in ("bin", "containers"):
        (tmp_path / folder).mkdir()
    docker = tmp_path / "bin" / "docker"
    docker.write_text(f'#!/bin/sh\nexec {sys.executable} {STUB} "$@"\n')
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("STUB_DOCKER_STATE", str(tmp_path / "containers"))
    return tmp_path / "containers"


def test_a_container_runs_from_start_to_stop_and_its_password_is_on_no_command_line(containers, tmp_path, until):
    broker = DockerBroker(tmp_path / "broker", "rabbitmq:test")
    try:
        address = broker.start()
        until(broker.is_ready, "readiness")
        container = json.loads((containers / broker.container).read_text())
        assert container["arguments"][-1] == "rabbitmq:test"
        assert container["password"] in address.amqp_url
        assert container["password"] not in " ".join(container["arguments"])
        published = [each for each in container["arguments"] if each.endswith((":5672", ":15672"))]
        assert len(published) == 2
        assert all(each.startswith("127.0.0.1:") for each in published)
    finally:
        assert broker.stop()
    assert not broker.is_running
    assert not (containers / broker.container).exists()
    assert not broker.stop()


def test_a_container_left_behind_is_removed_before_the_next(containers, tmp_path, until):
    broker = DockerBroker(tmp_path / "broker", "rabbitmq:test")
    (containers / broker.container).write_text("left")
    try:
        broker.start()
        until(broker.is_ready, "readiness")
        assert (containers / broker.container).read_text() != "left"
    finally:
        broker.stop()


def test_docker_is_the_choice_where_there_is_no_rabbitmq(containers, tmp_path, monkeypatch):
    monkeypatch.delenv("AMQP_URL", raising=False)
    monkeypatch.setattr("local_fleet.broker_choice.server_program", lambda: None)
    folder = RunFolder(tmp_path)
    assert choose_broker(FleetSettings(), folder).kind == "Docker container"
    with pytest.raises(BrokerNotInstalled, match="AMQP_URL"):
        choose_broker(FleetSettings(fleet_broker="private"), folder)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrokerNotInstalled, match="start Docker"):
        choose_broker(FleetSettings(), folder)


def test_the_users_own_broker_comes_first(containers, tmp_path, monkeypatch):
    monkeypatch.setenv("AMQP_URL", "amqp://mine")
    choice = choose_broker(FleetSettings(), RunFolder(tmp_path))
    assert (choice.node, choice.amqp_url) == (None, "amqp://mine")
