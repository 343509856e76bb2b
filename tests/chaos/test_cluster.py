"""A short run of the ledger on three nodes, of which one at a time is killed, paused or cut off.

Each node is in a network namespace of its own where the machine allows it, and the fleet knows the nodes' addresses:
who is cut off hears nothing at all. Elsewhere the nodes are on loopback, and are made to refuse each other.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.cluster import SIZE, Cluster
from mediaflow_chaos.cluster_faults import faults_of
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.network import Network, NetworkImpossible
from mediaflow_chaos.report import print_report
from mediaflow_chaos.strikes import Strike
from mediaflow_chaos.world import World, world_around

SECONDS = 10.0
#: A parted cluster may need a minute and an operator to become whole: `make chaos` has those as well.
SHORT = ("kill-leader", "kill-clients-node", "pause-node", "cut-node-off", "refuse-node")
#: Long enough that the others elect new leaders; `make chaos` has longer and shorter ones.
LASTING_S = 6.0
SEED = 5


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    cluster = Cluster(tmp_path / "cluster", network=network())
    try:
        cluster.start()
        with world_around(cluster, tmp_path, wired=False, workers_per_channel=1) as world:
            yield world
    finally:
        cluster.end()
        shutil.rmtree(tmp_path / "cluster", ignore_errors=True)


def network() -> Network | None:
    try:
        return Network(SIZE)
    except NetworkImpossible as error:
        print(f"on loopback: {error}")
        return None


@pytest.mark.slow
def test_what_was_accepted_ends_once_in_every_channel_while_a_cluster_loses_one_node_after_the_other(
    world: World, tmp_path: Path
) -> None:
    # One after the other as soon as the cluster is whole again, however long that takes here.
    faults = [fault for fault in faults_of(world.cluster.network) if fault.kind.name in SHORT]
    strikes = [
        Strike(2.0 + number / 100, fault.kind.name, SEED + number, LASTING_S if fault.kind.longest_s > 5 else 1.0)
        for number, fault in enumerate(faults)
    ]
    load = LoadPlan(SEED, rate=10, one_in_is_file=0)

    report = run_campaign(Campaign(load, SECONDS, strikes, faults, b"", every_strike=True, lag_s=3.0), world, tmp_path)

    print_report(report)
    assert report.holds, report.remarks
    assert len(report.strikes) == len(faults), report.remarks
