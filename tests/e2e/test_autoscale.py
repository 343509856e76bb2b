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

    status, _, report = fleet.post("/media/burst", json.dumps({"count": 100}).encode(), "application/json")
    assert status in (200, 202)
    assert report["confirmed"] == 100

    fleet.until(lambda: transcoders() > 2)  # 100 messages, 15 for each worker; some are done before the first look
    fleet.until(lambda: transcoders() == 2)
    # Those on their way out finish what they have.
    fleet.until(lambda: {each["state"] for each in fleet.status()["processes"].values()} == {"ready"})
