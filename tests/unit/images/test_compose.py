"""compose.yaml, as far as it can be judged without an engine."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from service_settings import read_settings

ROOT = Path(__file__).parents[3]
OURS = ("ingest", "console", "replayer", "thumbnail", "transcode", "subtitle")
FILES = {name: yaml.safe_load((ROOT / name).read_text()) for name in ("compose.yaml", "compose/s3.yaml")}


def services(*files: str) -> dict[str, dict[str, Any]]:
    """Services of the files, the later ones laid over the former; of environments only."""
    merged: dict[str, dict[str, Any]] = {}
    for file in files:
        for name, service in FILES[file]["services"].items():
            environment = merged.get(name, {}).get("environment", {}) | service.get("environment", {})
            merged[name] = merged.get(name, {}) | service | {"environment": environment}
    return merged


def plain(value: object) -> str:
    """Give the default of ``${NAME:-default}``, wherever it stands in a value."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    while "${" in text:
        before, _, rest = text.partition("${")
        name, _, after = rest.partition("}")
        text = before + name.partition(":-")[2] + after
    return text


def test_every_port_is_bound_to_this_machine_alone():
    ports = [port for file in FILES for service in services(file).values() for port in service.get("ports", [])]
    assert len(ports) >= 5
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_image_has_a_version():
    for file in FILES:
        for name, service in services(file).items():
            if image := service.get("image"):
                tag = plain(image).rsplit(":", 1)[1]
                assert tag[0].isdigit() or tag[0] == "v", name


@pytest.mark.parametrize("files", [("compose.yaml",), ("compose.yaml", "compose/s3.yaml")], ids=["volume", "s3"])
@pytest.mark.parametrize("service", OURS)
def test_the_services_understand_what_they_are_told(service: str, files: tuple[str, ...]):
    environment = services(*files)[service]["environment"]
    assert environment["MEDIAFLOW_STORE_URL"].startswith("s3://" if len(files) == 2 else "file:///var/lib/mediaflow/")
    read_settings(service, {name: plain(value) for name, value in environment.items()})


@pytest.mark.parametrize("service", OURS)
def test_our_services_are_locked_in(service: str):
    told = services("compose.yaml")[service]
    assert told["read_only"] is True
    assert told["cap_drop"] == ["ALL"]
    assert told["depends_on"]["rabbitmq"] == {"condition": "service_healthy"}
    assert told["mem_limit"]


@pytest.mark.parametrize("service", [name for name in OURS if name != "replayer"])
def test_a_service_gets_the_time_that_it_takes_to_stop(service: str):
    told = services("compose.yaml")[service]
    grace = float(told["environment"].get("MEDIAFLOW_GRACE_S", 0))
    assert told["healthcheck"]["test"]
    assert float(told.get("stop_grace_period", "10s").removesuffix("s")) >= grace + 10


def test_files_that_are_mounted_are_there():
    volumes = [each for file in FILES for service in services(file).values() for each in service.get("volumes", [])]
    mounted = [each.partition(":")[0] for each in volumes if isinstance(each, str) and each.startswith("./")]
    assert len(mounted) >= 6
    assert [path for path in mounted if not (ROOT / path).exists()] == []


def test_the_example_names_every_variable_that_can_be_set():
    named = (ROOT / "compose/env.example").read_text()
    text = "".join((ROOT / file).read_text() for file in FILES)
    variables = {part.partition(":-")[0] for part in text.split("${")[1:]}
    assert {name for name in variables if f"#{name}=" not in named} == set()
