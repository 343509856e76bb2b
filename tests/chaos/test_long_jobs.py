"""Jobs that take longer than two heartbeats, and longer than the broker lets a consumer hold a message."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.checker import ChannelAccount
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.node import SingleNode
from mediaflow_chaos.report import print_report
from mediaflow_chaos.world import World, world_around

#: Well below the 14 s of a job in long_jobs.toml; the node looks once a second.
CONSUMER_TIMEOUT_MS = 6000


@pytest.fixture
def node(tmp_path: Path) -> Iterator[SingleNode]:
    node = SingleNode(tmp_path / "broker")
    yield node
    node.end()
    shutil.rmtree(tmp_path / "broker", ignore_errors=True)


@pytest.fixture
def world(node: SingleNode, tmp_path: Path) -> Iterator[World]:
    file = Path(__file__).with_name("long_jobs.toml")
    with world_around(node, tmp_path, workers_per_channel=1, channels_file=file) as world:
        yield world


def run(world: World, folder: Path) -> list[ChannelAccount]:
    report = run_campaign(Campaign(LoadPlan(4, rate=2, one_in_is_file=0), 6.0, (), (), b""), world, folder)
    print_report(report)
    assert report.holds, report.remarks
    return list(report.accounts)


@pytest.mark.slow
def test_a_job_longer_than_the_heartbeat_is_done_once_and_delivered_once(world: World, tmp_path: Path) -> None:
    accounts = run(world, tmp_path)

    assert all(account.duplicate_deliveries == 0 for account in accounts)
    for worker in world.fleet.workers:
        assert b"worker_connection_lost" not in worker.log.read_bytes()


@pytest.mark.slow
def test_a_job_longer_than_the_consumer_timeout_is_done_once_however_often_it_is_delivered(
    node: SingleNode, tmp_path: Path
) -> None:
    node.shorten_consumer_timeout(CONSUMER_TIMEOUT_MS)
    file = Path(__file__).with_name("long_jobs.toml")
    with world_around(node, tmp_path, workers_per_channel=1, channels_file=file) as world:
        run(world, tmp_path)
        lost = b"".join(worker.log.read_bytes() for worker in world.fleet.workers_of("transcode"))

    assert b"Channel is closed" in lost, "the broker has never taken a message back: nothing was tested"
