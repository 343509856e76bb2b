"""One upload in; poster, storyboard, HLS and subtitles out."""

import os
import re
import signal

import pytest

from clip_checks import CHANNELS, ClipChecks, asset, ended  # noqa: F401 - asset is a fixture

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fleet(new_fleet):
    fleet = new_fleet({"MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true"})
    fleet.mediaflow("up")
    return fleet


class TestClip(ClipChecks):
    """What the clip becomes, on processes."""


def test_a_worker_killed_in_mid_job_costs_nothing(fleet, clip):
    asset_id = fleet.upload(clip)
    fleet.wait_for(asset_id, lambda seen: seen["channels"]["transcode"]["state"] == "running")
    os.kill(fleet.status()["processes"]["transcode-1"]["pid"], signal.SIGKILL)

    finished = fleet.wait_for(asset_id, ended)

    assert {name: each["state"] for name, each in finished["channels"].items()} == dict.fromkeys(CHANNELS, "done")
    worker = fleet.status()["processes"]["transcode-1"]
    assert worker["restarts"] >= 1
    assert worker["reason"].startswith("killed by SIGKILL")
    assert fleet.get(f"/media/{asset_id}/transcode/master.m3u8").startswith(b"#EXTM3U")


def test_run_through_a_fleet_that_is_up_shows_progress_and_what_was_made(fleet):
    said = fleet.mediaflow("run")
    for channel in CHANNELS:
        assert re.search(rf"^ +{channel} +done", said, re.MULTILINE), said
    addresses = re.findall(rf"{fleet.url}/media/[^/\s]+/\S+/\S+", said)
    assert len(addresses) >= 6
    for address in addresses:
        assert fleet.get(address.removeprefix(fleet.url))
    assert "curl --data-binary @holiday.mp4" in said


def test_a_file_that_is_no_video_ends_with_its_reason_and_a_failure(fleet, tmp_path):
    fake = tmp_path / "holiday.mp4"
    fake.write_text("this is a text file\n" * 100)
    said = fleet.mediaflow("run", str(fake), code=1)
    for channel in CHANNELS:
        assert re.search(rf"^{channel}: dead-lettered: .{{10,}}", said, re.MULTILINE), said
    # The broker's figures are a second or two old.
    fleet.until(lambda: fleet.dead_letters() == dict.fromkeys(CHANNELS, 1))
