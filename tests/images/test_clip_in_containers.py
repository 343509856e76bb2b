"""The clip of the end-to-end test, through containers without root, capabilities or a root file system to write to."""

import pytest

from clip_checks import CHANNELS, ClipChecks, asset, ended  # noqa: F401 - asset is a fixture
from container_fleet import LOCKED_IN, ContainerFleet, image_of

pytestmark = pytest.mark.slow


class TestClip(ClipChecks):
    """What the clip becomes, in containers."""


def test_a_container_killed_in_mid_job_costs_nothing(fleet: ContainerFleet, clip):
    asset_id = fleet.upload(clip)
    fleet.wait_for(asset_id, lambda seen: seen["channels"]["transcode"]["state"] == "running")
    fleet.engine("kill", fleet.containers["transcode"])
    fleet.engine("start", fleet.containers["transcode"])

    finished = fleet.wait_for(asset_id, ended)

    assert {name: each["state"] for name, each in finished["channels"].items()} == dict.fromkeys(CHANNELS, "done")
    assert fleet.get(f"/media/{asset_id}/transcode/master.m3u8").startswith(b"#EXTM3U")


def test_a_dead_letter_is_put_back_by_the_replayers_container(fleet: ContainerFleet):
    asset_id = fleet.post("/media/upload?filename=holiday.mp4", b"this is a text file\n" * 100, "video/mp4")[2][
        "assetId"
    ]
    fleet.wait_for(asset_id, ended)

    settings = [f"--env={key}={value}" for key, value in fleet.settings().items()]
    at = ["--network", fleet.network, "--volume", f"{fleet.store}:/var/lib/mediaflow"]
    end = fleet.engine.run(image_of("replayer"), "--channel", "subtitle", options=[*LOCKED_IN, *at, *settings])

    assert end.code == 0, end.output
    assert "1 of 1 moved to media.subtitle" in end.output


def test_nothing_runs_as_root_or_with_a_capability(fleet: ContainerFleet):
    for name in ("ingest", "console", "thumbnail", "transcode", "subtitle"):
        status = fleet.engine("exec", fleet.containers[name], "cat", "/proc/1/status")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert fields["Uid"].split() == ["10001"] * 4, name
        assert int(fields["CapEff"], 16) == 0, name
