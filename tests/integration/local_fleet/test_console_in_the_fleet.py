"""The console as a part of the fleet: up with it, down with it, and never in its way."""

import signal
import socket

import pytest

from local_fleet.ports import free_ports


@pytest.fixture
def console_fleet(stub_fleet):
    """A fleet with its console, a stand-in, on a port of its own."""
    (port,) = free_ports(1)
    stub_fleet.variables |= {"MEDIAFLOW_FLEET_CONSOLE": "on", "MEDIAFLOW_CONSOLE_PORT": str(port)}
    return stub_fleet


def address(fleet):
    return f"http://localhost:{fleet.variables['MEDIAFLOW_CONSOLE_PORT']}"


def test_the_console_comes_and_goes_with_the_fleet_and_up_and_status_tell_its_address(console_fleet, until):
    assert f"the console is up: {address(console_fleet)}" in console_fleet.mediaflow("up")
    assert address(console_fleet) in console_fleet.mediaflow("status")
    first = console_fleet.identity("console")
    first.send(signal.SIGKILL)
    until(lambda: console_fleet.status()["console"]["restarts"], "the restart")
    until(lambda: console_fleet.status()["console"]["state"] == "ready", "the new console")

    ended = [line.split()[0] for line in console_fleet.mediaflow("down").splitlines()]
    assert ended.index("console") < ended.index("ingest")
    assert console_fleet.survivors() == []


def test_a_taken_console_port_is_said_and_the_fleet_is_up_without_it(console_fleet):
    console_fleet.options["console"] = "--exit 2 --say 'the port is taken'"
    port = int(console_fleet.variables["MEDIAFLOW_CONSOLE_PORT"])
    with socket.create_server(("127.0.0.1", port)):
        said = console_fleet.mediaflow("up")
    assert "the fleet is up" in said
    assert f"the console is not up: port {port} is taken by " in said
    assert "MEDIAFLOW_CONSOLE_PORT" in said


@pytest.mark.parametrize("code", [1, 2])
def test_a_console_that_cannot_start_is_said_and_the_fleet_is_up_without_it(console_fleet, code):
    console_fleet.options["console"] = f"--exit {code} --say 'MEDIAFLOW_CONSOLE_HOST: needs a password'"
    said = console_fleet.mediaflow("up")
    assert f"the console is not up: exit code {code}: MEDIAFLOW_CONSOLE_HOST: needs a password" in said
    assert console_fleet.status()["ingest"]["state"] == "ready"
