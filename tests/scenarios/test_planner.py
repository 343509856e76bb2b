"""The planner against a real burst: it says before how it will go, and then it goes so (about 60 s in all).

What is compared was measured in the same conditions: a busy machine starts workers slowly and finishes jobs late, and
the figures know it. Jobs last a second, so that what a scheduler adds to them stays small.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mediaflow_scenarios.vhost import own_vhost

from local_fleet.broker import BrokerAddress
from local_fleet.run_folder import RunFolder
from planned_burst import Course, Prediction, predict, send
from whole_fleet import WholeFleet

pytestmark = pytest.mark.slow

CHANNELS = """
[channels.transcode]
delivery_limit = 5
job_time_limit_s = 60

[profiles.simulated.transcode]
prefetch = 2
concurrency = 2
retries = { count = 3, initial_ms = 500, multiplier = 2.0, max_ms = 10000 }
workers = { min = 2, max = 4 }
messages_per_worker = 10
simulated = { latency_ms = 1000, failure_rate = 0.0 }
"""

#: A prediction further from what happened than this is wrong.
TOLERANCE = 0.15
#: Messages and seconds of the bursts.
COUNT, OVER_S = 110, 4


@pytest.fixture(scope="module")
def fleet(broker: BrokerAddress, tmp_path_factory: pytest.TempPathFactory, fleet_guard: None) -> Iterator[WholeFleet]:
    """A fleet with one channel and the console that measures it; it has done some work and started some workers."""
    folder = RunFolder.at(tmp_path_factory.mktemp("planned") / ".run")
    channels = folder.path.parent / "channels.toml"
    channels.write_text(CHANNELS)
    with own_vhost(broker) as address:
        fleet = WholeFleet(folder, variables(address, channels))
        try:
            fleet.mediaflow("up")
            warm_up(fleet)
            yield fleet
        finally:
            fleet.end()


def variables(broker: BrokerAddress, channels: Path) -> dict[str, str]:
    return {
        "AMQP_URL": broker.amqp_url,
        "MEDIAFLOW_MANAGEMENT_URL": broker.management_url,
        "MEDIAFLOW_CHANNELS": str(channels),
        "MEDIAFLOW_PROFILE": "simulated",
        "MEDIAFLOW_LOG_FORMAT": "json",
        "MEDIAFLOW_STORE_FSYNC": "false",
        "MEDIAFLOW_INGEST_WORKERS": "1",
        "MEDIAFLOW_FLEET_CONSOLE": "on",
    }


def warm_up(fleet: WholeFleet) -> None:
    """Let the fleet do what figures come from: workers that start, and jobs behind each other."""
    scale(fleet, 4)
    send(fleet, "transcode", 40, 0.5)
    fleet.until(lambda: is_measured(figures(fleet)))


def figures(fleet: WholeFleet) -> dict[str, Any]:
    return json.loads(fleet.console_get("/admin/planner/transcode"))


def is_measured(found: dict[str, Any]) -> bool:
    enough = found["job"]["samples"] >= 40 and found["ready"] + found["unacked"] == 0
    return enough and all(found[name]["source"] == "measured" for name in ("job", "start"))


def scale(fleet: WholeFleet, count: int) -> None:
    fleet.mediaflow("scale", "transcode", str(count))

    def there() -> bool:
        states = [each["state"] for name, each in fleet.status()["processes"].items() if name.startswith("transcode")]
        return states == ["ready"] * count

    fleet.until(there)


def close(predicted: Prediction, real: Course) -> None:
    drained, peak = predicted.error_of(real)
    said = (
        f"predicted {predicted.drained_s:.1f} s and {predicted.peak_depth:.0f}, was {real}; {predicted.plan['basis']}"
    )
    print(f"drain {drained:+.1%}, peak {peak:+.1%}: {said}")
    assert abs(drained) <= TOLERANCE, said
    assert abs(peak) <= TOLERANCE, said


def test_a_burst_on_as_many_workers_as_there_are_goes_as_predicted(fleet):
    predicted = predict(fleet, "transcode", "--burst", str(COUNT), "--over", f"{OVER_S}s", "--arrival", "0", "--fixed")
    close(predicted, send(fleet, "transcode", COUNT, OVER_S))


def test_a_burst_that_makes_the_autoscaler_start_workers_goes_as_predicted(fleet):
    scale(fleet, 2)
    fleet.until(lambda: figures(fleet)["ready"] + figures(fleet)["unacked"] == 0)
    fleet.mediaflow("up", "--autoscale")
    predicted = predict(fleet, "transcode", "--burst", str(COUNT), "--over", f"{OVER_S}s", "--arrival", "0", "--scaled")
    real = send(fleet, "transcode", COUNT, OVER_S)
    close(predicted, real)
    assert predicted.plan["forecast"]["mostWorkers"]["median"] == 4
