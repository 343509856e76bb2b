"""What a user does with a fleet, from up to down, with stand-ins for its services."""

import json
import signal
import socket
from importlib import resources

import pytest

from channel_entry import channel_entry

PACKAGED = resources.files("mq_common").joinpath("channels.toml").read_text("utf-8")

PREVIEW = channel_entry("preview")

WORKERS = ("thumbnail-1", "transcode-1", "subtitle-1")


def test_up_brings_all_of_it_up_once_and_down_ends_all_of_it_once(stub_fleet):
    assert f"the fleet is up: http://localhost:{stub_fleet.port}" in stub_fleet.mediaflow("up")
    processes = {each["name"]: each for each in json.loads(stub_fleet.mediaflow("status", "--json"))["processes"]}
    assert set(processes) == {"ingest", *WORKERS}
    assert {each["state"] for each in processes.values()} == {"ready"}
    assert all(each["memory"] > 1_000_000 for each in processes.values())

    assert "already up" in stub_fleet.mediaflow("up")
    assert stub_fleet.status()["ingest"]["pid"] == processes["ingest"]["pid"]

    said = stub_fleet.mediaflow("down").splitlines()
    ended = [line.split()[0] for line in said[:-1]]
    assert sorted(ended[:-1]) == sorted(WORKERS)
    assert ended[-1] == "ingest"  # after the workers
    assert said[-1] == "the fleet is down"
    assert stub_fleet.survivors() == []
    assert stub_fleet.mediaflow("down") == "nothing was running\n"
    assert stub_fleet.mediaflow("status") == "not up\n"


def test_two_ups_at_the_same_time_make_one_fleet(stub_fleet):
    both = [stub_fleet.begin("up") for _ in range(2)]
    said = [command.communicate(timeout=60)[0] for command in both]
    assert [command.returncode for command in both] == [0, 0]
    assert sum("already up" in each for each in said) == 1
    assert [each.name for each in stub_fleet.survivors()].count("supervisor") == 1


def test_a_worker_that_dies_is_started_again_and_the_reason_is_shown(stub_fleet, until):
    stub_fleet.options["transcode"] = "--say 'last words'"
    stub_fleet.mediaflow("up")
    first = stub_fleet.identity("transcode-1")

    first.send(signal.SIGKILL)

    until(lambda: stub_fleet.status()["transcode-1"]["restarts"] == 1, "the restart")
    until(lambda: stub_fleet.status()["transcode-1"]["state"] == "ready", "readiness")
    status = stub_fleet.status()["transcode-1"]
    assert status["reason"] == "killed by SIGKILL: last words"
    assert status["pid"] != first.pid


def test_a_worker_that_refuses_its_configuration_is_not_tried_again(stub_fleet):
    stub_fleet.options["subtitle"] = "--exit 2 --say 'mediaflow: MEDIAFLOW_PROFILE: bad'"
    said = stub_fleet.mediaflow("up", code=1)
    assert said.splitlines()[-1] == (
        "mediaflow: subtitle-1 does not come up: exit code 2: mediaflow: MEDIAFLOW_PROFILE: bad"
    )
    status = stub_fleet.status()["subtitle-1"]
    assert (status["state"], status["restarts"]) == ("failed", 0)
    # Scaling is a new attempt.
    stub_fleet.mediaflow("scale", "subtitle", "1")
    assert "supervisor" in {each.name for each in stub_fleet.survivors()}


def test_up_does_not_wait_for_a_worker_that_keeps_dying(stub_fleet):
    stub_fleet.options["thumbnail"] = "--exit 1 --say 'ImportError: no module'"
    said = stub_fleet.mediaflow("up", code=1)
    assert "thumbnail-1 does not come up: exit code 1: ImportError: no module" in said


def test_a_taken_port_is_named_with_its_variable_and_nothing_is_started(stub_fleet):
    with socket.create_server(("127.0.0.1", stub_fleet.port)):
        said = stub_fleet.mediaflow("up", code=1)
    assert len(said.splitlines()) == 1
    assert f"port {stub_fleet.port} is taken" in said
    assert "MEDIAFLOW_INGEST_PORT" in said
    assert stub_fleet.survivors() == []


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("MEDIAFLOW_FLEET_BROKER", "kafka", "MEDIAFLOW_FLEET_BROKER"),
        ("MEDIAFLOW_FLEET_WORKERS", "poster=1", "no channel 'poster'"),
        ("MEDIAFLOW_CHANNELS", "/none.toml", "/none.toml"),
        ("MEDIAFLOW_NONSENSE", "1", "MEDIAFLOW_NONSENSE"),
        ("AMQP_URL", "http://localhost", "AMQP_URL"),
        ("AMQP_URL", "amqp://127.0.0.1:1", "no broker answers at 127.0.0.1:1 (AMQP_URL): Connection refused"),
    ],
)
def test_a_bad_setting_is_one_line(stub_fleet, variable, value, said):
    stub_fleet.variables[variable] = value
    command = stub_fleet.begin("up")
    output, errors = command.communicate(timeout=60)
    assert command.returncode in (1, 2)
    assert output == ""
    assert len(errors.splitlines()) == 1
    assert said in errors


def test_scale_starts_and_stops_workers(stub_fleet, until):
    stub_fleet.mediaflow("up")
    stub_fleet.mediaflow("scale", "thumbnail", "3")
    until(lambda: stub_fleet.status()["thumbnail-3"]["state"] == "ready", "the third worker")
    stub_fleet.mediaflow("scale", "thumbnail", "1")
    until(lambda: "thumbnail-2" not in stub_fleet.status(), "the second worker's end")
    assert stub_fleet.status()["thumbnail-1"]["restarts"] == 0
    assert "no channel 'poster'" in stub_fleet.mediaflow("scale", "poster", "1", code=1)
    assert "between 0 and 64" in stub_fleet.mediaflow("scale", "thumbnail", "65", code=1)


def test_pause_ends_the_workers_and_resume_brings_as_many_back(stub_fleet, until):
    stub_fleet.mediaflow("up")
    stub_fleet.mediaflow("scale", "thumbnail", "2")
    ingest = stub_fleet.status()["ingest"]["pid"]

    assert stub_fleet.mediaflow("pause") == "thumbnail: paused\ntranscode: paused\nsubtitle: paused\n"
    assert set(stub_fleet.status()) == {"ingest"}
    assert stub_fleet.mediaflow("pause", "thumbnail") == "thumbnail: paused\n"
    assert "paused: thumbnail, transcode, subtitle" in stub_fleet.mediaflow("run", code=1)
    assert stub_fleet.mediaflow("scale", "transcode", "3") == "transcode: 3 workers once it is resumed\n"

    assert stub_fleet.mediaflow("resume", "subtitle") == "subtitle: 1 worker\n"
    until(lambda: stub_fleet.status().get("subtitle-1", {}).get("state") == "ready", "the resumed worker")
    assert set(stub_fleet.status()) == {"ingest", "subtitle-1"}
    stub_fleet.mediaflow("resume")
    workers = {"thumbnail-1", "thumbnail-2", "transcode-1", "transcode-2", "transcode-3", "subtitle-1"}
    assert set(stub_fleet.status()) == {"ingest", *workers}
    assert stub_fleet.status()["ingest"]["pid"] == ingest
    assert "no channel 'poster'" in stub_fleet.mediaflow("pause", "poster", code=1)


def test_reload_starts_a_new_channel_and_touches_nothing_else(stub_fleet, tmp_path, until):
    channels = tmp_path / "channels.toml"
    channels.write_text(PACKAGED)
    stub_fleet.variables["MEDIAFLOW_CHANNELS"] = str(channels)
    stub_fleet.mediaflow("up")
    before = {name: each["pid"] for name, each in stub_fleet.status().items()}
    assert stub_fleet.mediaflow("reload") == "the channels file says what it said before\n"

    channels.write_text(PACKAGED + PREVIEW)
    assert stub_fleet.mediaflow("reload").splitlines()[-1] == "preview: added"
    after = stub_fleet.status()
    assert after["preview-1"]["state"] == "ready"
    assert {name: each["pid"] for name, each in after.items() if name != "preview-1"} == before

    channels.write_text((PACKAGED + PREVIEW).replace("delivery_limit = 5", "delivery_limit = 6"))
    assert stub_fleet.mediaflow("reload").splitlines()[-1] == "transcode: changed"
    until(lambda: "transcode-1" not in stub_fleet.status(), "the old worker's end")
    assert stub_fleet.status()["transcode-2"]["state"] == "ready"

    channels.write_text("nonsense")
    assert str(channels) in stub_fleet.mediaflow("reload", code=1)
    channels.write_text(PACKAGED.replace("delivery_limit = 5", "delivery_limit = 6"))
    assert stub_fleet.mediaflow("reload") == "preview: gone\n"
    until(lambda: "preview-1" not in stub_fleet.status(), "the end of the channel's worker")
    assert "no channel 'preview'" in stub_fleet.mediaflow("scale", "preview", "1", code=1)
    assert stub_fleet.status()["ingest"]["pid"] == before["ingest"]


def test_a_new_channel_whose_worker_does_not_start_is_named(stub_fleet, tmp_path):
    channels = tmp_path / "channels.toml"
    channels.write_text(PACKAGED)
    stub_fleet.variables["MEDIAFLOW_CHANNELS"] = str(channels)
    stub_fleet.options["preview"] = "--exit 1 --say 'No module named preview'"
    stub_fleet.mediaflow("up")

    channels.write_text(PACKAGED + PREVIEW)

    said = stub_fleet.mediaflow("reload", code=1)
    assert said.splitlines()[-1].startswith(
        "mediaflow: preview-1 does not come up: exit code 1: No module named preview"
    )


def test_commands_to_a_fleet_that_is_not_up_are_one_line(stub_fleet):
    assert stub_fleet.mediaflow("scale", "thumbnail", "1", code=1) == "mediaflow: the fleet is not up\n"
    assert "no log of 'ingest'" in stub_fleet.mediaflow("logs", "ingest", code=1)


def test_autoscaling_without_a_management_address_is_refused(stub_fleet):
    stub_fleet.mediaflow("up")
    assert "MEDIAFLOW_MANAGEMENT_URL" in stub_fleet.mediaflow("up", "--autoscale", code=1)


def test_a_clip_that_ingest_refuses_is_one_line(stub_fleet):
    said = stub_fleet.mediaflow("run", code=1)  # the stand-in knows no POST
    assert "ingest refused the upload (501)" in said.splitlines()[-1]


def test_logs_of_a_channel_are_shown(stub_fleet):
    stub_fleet.options["subtitle"] = "--say hello"
    stub_fleet.mediaflow("up")
    assert stub_fleet.mediaflow("logs", "subtitle") == "subtitle-1  hello\n"
