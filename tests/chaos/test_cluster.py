"""A short run of the ledger on three nodes, of which one at a time is killed, paused or cut off."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.cluster import Cluster
from mediaflow_chaos.cluster_faults import CLUSTER_FAULTS
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.report import print_report
from mediaflow_chaos.strikes import Strike
from mediaflow_chaos.world import World, world_around

SECONDS = 20.0
SEED = 5


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    cluster = Cluster(tmp_path / "cluster")
    try:
        cluster.start()
        with world_around(cluster, tmp_path, workers_per_channel=1) as world:
            yield world
    finally:
        cluster.end()
        shutil.rmtree(tmp_path / "cluster", ignore_errors=True)


@pytest.mark.slow
def test_what_was_accepted_ends_once_in_every_channel_while_a_cluster_loses_one_node_after_the_other(
    world: World, tmp_path: Path
) -> None:
    # One after the other as soon as the cluster is whole again, however long that takes here.
    strikes = [
        Strike(2.0 + number / 100, fault.kind.name, SEED + number, 8.0 if fault.kind.longest_s > 5 else 1.0)
        for number, fault in enumerate(CLUSTER_FAULTS)
    ]
    load = LoadPlan(SEED, rate=10, one_in_is_file=0)

    report = run_campaign(Campaign(load, SECONDS, strikes, CLUSTER_FAULTS, b"", every_strike=True), world, tmp_path)

    print_report(report)
    assert report.holds, report.remarks
    assert len(report.strikes) == len(CLUSTER_FAULTS), report.remarks
