"""Jobs that take longer than two heartbeats, and longer than the broker lets a consumer hold a message."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.fleet import HEARTBEAT_S
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.node import SingleNode
from mediaflow_chaos.report import print_report
from mediaflow_chaos.world import World, world_around

from mq_common.channels import load_channels

CHANNELS_FILE = Path(__file__).with_name("long_jobs.toml")
#: Half of what a job of the subtitle channel takes; the node looks once a second.
CONSUMER_TIMEOUT_MS = 3000


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    node = SingleNode(tmp_path / "broker")
    try:
        with world_around(node, tmp_path, workers_per_channel=1, channels_file=CHANNELS_FILE) as world:
            yield world
    finally:
        node.end()
        shutil.rmtree(tmp_path / "broker", ignore_errors=True)


@pytest.mark.slow
def test_long_jobs_are_done_once_and_cost_a_second_delivery_only_where_the_broker_takes_them_back(
    world: World, tmp_path: Path
) -> None:
    latency_ms = {name: spec.simulated.latency_ms for name, spec in load_channels(CHANNELS_FILE, "simulated").items()}
    assert latency_ms["transcode"] > 2000 * HEARTBEAT_S
    assert latency_ms["subtitle"] == 2 * CONSUMER_TIMEOUT_MS
    # What consumes already keeps the node's patience, which is a day.
    world.node.shorten_consumer_timeout("media.subtitle", CONSUMER_TIMEOUT_MS)
    (impatient,) = world.fleet.workers_of("subtitle")
    impatient.restart(40)

    report = run_campaign(Campaign(LoadPlan(4, rate=2, one_in_is_file=0), 3.0, (), (), b"", lag_s=3.0), world, tmp_path)

    print_report(report)
    assert report.holds, report.remarks
    delivered = {account.channel: account.duplicate_deliveries for account in report.accounts}
    assert delivered["transcode"] == 0
    (patient,) = world.fleet.workers_of("transcode")
    assert b"worker_connection_lost" not in patient.log.read_bytes()
    assert delivered["subtitle"] > 0, "the broker has never taken a message back: nothing was tested"
