"""Which processes a fleet has and what they are told; settings that decide it."""

import sys

import pytest

from local_fleet.fleet_plan import plan_fleet
from local_fleet.run_folder import RunFolder
from local_fleet.settings import ConsoleEndpoint, FleetSettings, IngestEndpoint, load_fleet_settings
from mq_common.channels import load_channels
from mq_common.errors import ConfigurationError

BROKER = {"AMQP_URL": "amqp://private", "MEDIAFLOW_MANAGEMENT_URL": "http://private"}


def plan(tmp_path, settings=None, inherited=None, console=None, **endpoint):
    return plan_fleet(
        settings or FleetSettings(),
        IngestEndpoint(**endpoint),
        channels=load_channels(),
        folder=RunFolder(tmp_path),
        inherited=inherited or {},
        broker=BROKER,
        console=console,
    )


def test_a_worker_is_its_channels_module_unless_told_otherwise(tmp_path):
    settings = FleetSettings(fleet_commands="subtitle=python -m other 'a b'; poster=/opt/poster --fast")
    fleet = plan(tmp_path, settings)
    assert fleet.worker_spec("thumbnail", 2).command == (sys.executable, "-m", "thumbnail")
    assert fleet.worker_spec("thumbnail", 2).name == "thumbnail-2"
    assert fleet.worker_spec("subtitle", 1).command == (sys.executable, "-m", "other", "a b")
    assert fleet.worker_spec("poster", 1).command == ("/opt/poster", "--fast")


def test_a_channel_starts_with_its_fewest_workers_unless_told_otherwise(tmp_path):
    fleet = plan(tmp_path, FleetSettings(fleet_workers="transcode=3, subtitle=0"))
    assert {name: fleet.workers_at_start(name) for name in fleet.channels} == {
        "thumbnail": 1,
        "transcode": 3,
        "subtitle": 0,
    }


def test_the_users_variables_win_over_the_fleets_but_the_broker_is_the_fleets(tmp_path):
    given = {"MEDIAFLOW_STORE_URL": "s3://films", "MEDIAFLOW_GRACE_S": "60", "AMQP_URL": "amqp://empty"}
    environment = plan(tmp_path, inherited=given).environment
    assert environment["MEDIAFLOW_STORE_URL"] == "s3://films"
    assert environment["AMQP_URL"] == "amqp://private"
    assert plan(tmp_path, inherited=given).grace_s == 60
    assert plan(tmp_path).environment["MEDIAFLOW_STORE_URL"] == f"file://{tmp_path}/media"


def test_a_fleet_of_ones_own_takes_simulated_assets_and_keeps_its_work_files_beside_its_store(tmp_path):
    environment = plan(tmp_path).environment
    assert environment["MEDIAFLOW_INGEST_ALLOW_SIMULATED"] == "true"
    assert environment["MEDIAFLOW_MEDIA_SCRATCH_DIR"] == str(tmp_path / "scratch")
    refused = plan(tmp_path, inherited={"MEDIAFLOW_INGEST_ALLOW_SIMULATED": "false"}).environment
    assert refused["MEDIAFLOW_INGEST_ALLOW_SIMULATED"] == "false"


def test_the_console_is_told_where_ingest_is_and_where_to_keep_its_own_things(tmp_path):
    fleet = plan(tmp_path, console=ConsoleEndpoint(console_host="0.0.0.0", console_port=9001), ingest_port=9000)
    console = fleet.console_spec()
    assert (console.name, console.command, console.host, console.port) == (
        "console",
        (sys.executable, "-m", "console"),
        "127.0.0.1",
        9001,
    )
    assert console.environment["MEDIAFLOW_CONSOLE_INGEST_URL"] == "http://localhost:9000"
    assert console.environment["MEDIAFLOW_CONSOLE_STATE_DIR"] == str(tmp_path / "console")


def test_a_fleet_can_do_without_its_console(tmp_path):
    assert plan(tmp_path, FleetSettings(fleet_console="off"), console=ConsoleEndpoint()).console_spec() is None


def test_ingest_that_listens_everywhere_is_asked_on_loopback(tmp_path):
    assert plan(tmp_path, ingest_host="0.0.0.0", ingest_port=9000).ingest_spec().host == "127.0.0.1"
    assert IngestEndpoint(ingest_host="0.0.0.0").url == "http://localhost:8080"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MEDIAFLOW_FLEET_COMMANDS", "subtitle"),
        ("MEDIAFLOW_FLEET_WORKERS", "thumbnail=many"),
        ("MEDIAFLOW_FLEET_BROKER", "kafka"),
        ("MEDIAFLOW_FLEET_COOLDWN_S", "5"),
        ("MEDIAFLOW_INGEST_PORT", "0"),
        ("MEDIAFLOW_CONSOLE_PORT", "0"),
        ("MEDIAFLOW_FLEET_CONSOLE", "yes"),
    ],
)
def test_a_bad_or_unknown_variable_is_named(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=variable):
        load_fleet_settings()
