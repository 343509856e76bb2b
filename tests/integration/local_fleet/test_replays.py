"""Replays that the supervisor runs: asked for over its socket, followed, stopped, ended with the fleet."""

import signal

import pytest

from local_fleet.control import ControlClient


@pytest.fixture
def steps(tmp_path):
    """What the stand-in moves, line by line."""
    return tmp_path / "steps"


@pytest.fixture
def up(stub_fleet, steps):
    stub_fleet.options["replayer"] = f"--steps {steps}"
    stub_fleet.mediaflow("up")
    return ControlClient(stub_fleet.folder.socket)


def start(client, channel="subtitle", arguments=("--limit=5",), request=None):
    return client.ask("replay", channel=channel, arguments=list(arguments), request=request or {})


def find(client, run_id):
    return next(each for each in client.ask("replays")["replays"] if each["id"] == run_id)


def test_a_replay_tells_how_far_it_is_and_how_it_ended(up, steps, stub_fleet, until):
    run = start(up, request={"asked_by": "Ada"})["replay"]
    assert run["request"] == {"asked_by": "Ada"}
    until(lambda: find(up, run["id"])["progress"].get("state") == "running")
    steps.write_text("moved\nmoved\n")
    until(lambda: find(up, run["id"])["progress"]["moved"] == 2)
    assert "replay of subtitle: looked at 2 of 10, moved 2" in stub_fleet.mediaflow("status")

    steps.write_text("moved\nmoved\nend\n")
    until(lambda: find(up, run["id"])["ended_at"])

    ended = find(up, run["id"])
    assert (ended["exit_code"], ended["said"], ended["pid"]) == (0, "", None)
    assert ended["progress"]["summary"] == {
        "channel": "subtitle",
        "moved": 2,
        "stopped": False,
        "options": ["--limit=5"],
    }
    assert "replay of subtitle" not in stub_fleet.mediaflow("status")


def test_of_two_replays_of_a_channel_at_once_one_is_refused_and_told_of_the_other(up, steps, until):
    first = start(up)["replay"]
    refused = start(up)
    assert refused["trouble"] == "refused"
    assert first["id"] in refused["error"]
    other = start(up, channel="transcode")["replay"]
    assert [each["id"] for each in up.ask("replays")["replays"]] == [other["id"], first["id"]]

    steps.write_text("end\n")
    until(lambda: all(each["ended_at"] for each in up.ask("replays")["replays"]))
    assert start(up)["ok"]


def test_a_replay_that_is_asked_to_stop_ends_in_order(up, until):
    run = start(up)["replay"]
    until(lambda: find(up, run["id"])["progress"].get("state") == "running")

    assert up.ask("stop-replay", id=run["id"])["replay"]["stopping"]

    until(lambda: find(up, run["id"])["ended_at"])
    assert find(up, run["id"])["progress"]["state"] == "stopped"
    assert up.ask("stop-replay", id=run["id"])["ok"]  # it has ended: nothing to do
    assert up.ask("stop-replay", id="subtitle-0")["trouble"] == "unknown-replay"


def test_a_replay_stopped_before_it_is_a_process_ends_too(up, until):
    run = start(up)["replay"]
    up.ask("stop-replay", id=run["id"])
    until(lambda: find(up, run["id"])["ended_at"])


def test_a_replay_that_fails_says_why_and_is_not_started_again(stub_fleet, steps, until):
    stub_fleet.options["replayer"] = f"--steps {steps} --fail 'broker not reachable'"
    stub_fleet.mediaflow("up")
    client = ControlClient(stub_fleet.folder.socket)
    steps.write_text("end\n")

    run = start(client)["replay"]

    until(lambda: find(client, run["id"])["ended_at"])
    assert find(client, run["id"])["exit_code"] == 3
    assert find(client, run["id"])["said"] == "exit code 3: replayer: broker not reachable"


def test_a_replay_that_cannot_be_started_has_ended_and_does_not_keep_the_next_one_out(up, steps, until):
    run = start(up, arguments=["--asset=a\0b"])["replay"]
    until(lambda: find(up, run["id"])["ended_at"])
    assert "null byte" in find(up, run["id"])["said"]
    steps.write_text("end\n")
    assert start(up)["ok"]


def test_a_channel_that_is_not_there_is_refused(up):
    refused = start(up, channel="poster")
    assert (refused["trouble"], refused["error"]) == (
        "unknown-channel",
        "no channel 'poster'; there are: thumbnail, transcode, subtitle",
    )


def test_the_end_of_the_fleet_ends_its_replays_in_order(up, stub_fleet, until):
    run = start(up)["replay"]
    until(lambda: find(up, run["id"])["progress"].get("state") == "running")

    said = stub_fleet.mediaflow("down").splitlines()

    assert ["replayer-subtitle", "stopped"] in [line.split() for line in said]
    assert said[-2].split() == ["ingest", "stopped"]  # after them
    assert stub_fleet.survivors() == []


def test_a_replay_dies_with_a_supervisor_that_is_killed(up, stub_fleet, until):
    run = start(up)["replay"]
    until(lambda: find(up, run["id"])["pid"])
    replayer = stub_fleet.identity("replayer-subtitle")

    stub_fleet.identity("supervisor").send(signal.SIGKILL)

    assert replayer.wait(10)


def test_a_thousand_messages_can_be_named(up, steps, until):
    steps.write_text("end\n")
    run = start(up, arguments=[f"--event=0191b2c3-0000-7000-8000-{number:012d}" for number in range(2000)])["replay"]
    until(lambda: find(up, run["id"])["ended_at"])
    assert len(find(up, run["id"])["progress"]["summary"]["options"]) == 2000
