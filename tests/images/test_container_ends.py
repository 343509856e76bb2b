"""How containers end: asked to, or because a setting is wrong."""

import time

import pytest

from container_fleet import CHANNELS, LOCKED_IN, ContainerFleet, image_of
from docker_engine import Engine

#: Without work a process has nothing to wait for; a busy machine may need a while to get to it.
_SOON_S = 10.0


def stop(fleet: ContainerFleet, container: str) -> tuple[int, float]:
    """Ask a container to stop; gives its exit code and the seconds it took."""
    began = time.monotonic()
    fleet.engine("stop", "--time", "60", container)
    return fleet.engine.inspect(container)["State"]["ExitCode"], time.monotonic() - began


@pytest.mark.parametrize("service", ["ingest", "console", *CHANNELS])
def test_a_container_that_is_asked_to_stop_ends_soon_and_well(fleet: ContainerFleet, service: str):
    variables = {"MEDIAFLOW_CONSOLE_PASSWORD": "for this test"} if service == "console" else {}
    container = fleet.start_service(service, variables)
    name = next(name for name, each in fleet.containers.items() if each == container)
    fleet.until(lambda: fleet.is_ready(name))

    code, seconds = stop(fleet, container)

    assert code == 0, fleet.engine.logs(container)
    assert seconds < _SOON_S


@pytest.mark.parametrize("service", ["thumbnail", "replayer"])
def test_a_container_that_still_looks_for_its_broker_can_be_stopped(fleet: ContainerFleet, service: str):
    settings = ["AMQP_URL=amqp://nobody.invalid", "MEDIAFLOW_LOG_LEVEL=info", "MEDIAFLOW_STORE_URL=file:///tmp/store"]
    options = [*LOCKED_IN, "--network", fleet.network, *(f"--env={each}" for each in settings)]
    command = ["--channel", "subtitle"] if service == "replayer" else []
    container = fleet.engine.start(image_of(service), *command, options=options)
    fleet.until(lambda: "broker_connect_retried" in fleet.engine.logs(container))

    code, seconds = stop(fleet, container)

    assert code == 0, fleet.engine.logs(container)
    assert seconds < _SOON_S


@pytest.mark.parametrize(
    ("service", "variable", "value"),
    [
        ("ingest", "MEDIAFLOW_INGEST_PORT", "eighty"),
        ("console", "MEDIAFLOW_CONSOLE_VIEWER", "3"),
        ("console", "MEDIAFLOW_CONSOLE_HOST", "0.0.0.0"),  # and no password
        ("replayer", "MEDIAFLOW_STORE_URL", "/a/folder"),
        ("thumbnail", "MEDIAFLOW_THUMBNAIL_TILES", "0"),
        ("transcode", "MEDIAFLOW_GRACE_S", "soon"),
        ("subtitle", "MEDIAFLOW_SUBTITLE_WHISPER_MODEL", "/no/such/model"),
        ("load", "MEDIAFLOW_LOAD_RATE", "fast"),
    ],
)
def test_a_wrong_setting_is_named_and_ends_the_container(engine: Engine, service: str, variable: str, value: str):
    command = ["--channel", "subtitle"] if service == "replayer" else []
    end = engine.run(
        image_of(service), *command, options=[*LOCKED_IN, "--network", "none", f"--env={variable}={value}"]
    )
    assert end.code == 2, end.output
    assert variable.replace("_HOST", "") in end.output


def test_without_a_place_to_write_a_container_says_so(engine: Engine):
    end = engine.run(image_of("transcode"), options=["--read-only", "--network", "none"])
    assert end.code == 2, end.output
    assert "TMPDIR" in end.output
