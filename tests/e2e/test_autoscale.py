"""Under simulated load the fleet grows, and shrinks again when the load has gone."""

import json

import pytest

pytestmark = pytest.mark.slow


def test_workers_follow_the_queue_up_and_down(new_fleet):
    fleet = new_fleet(
        {
            "MEDIAFLOW_PROFILE": "simulated",
            "MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true",
            "MEDIAFLOW_FLEET_COOLDOWN_S": "2",
            "MEDIAFLOW_FLEET_WORKERS": "thumbnail=1, subtitle=1",
        }
    )
    fleet.mediaflow("up", "--autoscale")

    def transcoders() -> int:
        return fleet.status()["channels"]["transcode"]["workers"]

    assert transcoders() == 2

    status, _, report = fleet.post("/media/burst", json.dumps({"count": 60}).encode(), "application/json")
    assert status in (200, 202)
    assert report["confirmed"] == 60

    fleet.until(lambda: transcoders() >= 4)  # 60 messages, 15 for each worker
    fleet.until(lambda: transcoders() == 2)
    assert all(each["state"] == "ready" for each in fleet.status()["processes"].values())
