"""A short run of the ledger on one broker: blows to every part, one at a time and then mixed, in a fixed plan."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.clip import tiny_clip
from mediaflow_chaos.faults import FAULTS, Fault
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.node import SingleNode
from mediaflow_chaos.report import print_report
from mediaflow_chaos.strikes import plan
from mediaflow_chaos.world import World, world_around

SEED = 5
SECONDS = 30.0
#: Seconds that a fault lasts at most, and that pass before the next one.
LONGEST_S, REST_S = 2.5, 1.5
#: What half a minute has room for where nothing else goes on; `make chaos` has them all, and lets them last longer.
QUICK = (
    "kill-worker",
    "kill-ingest",
    "kill-ingest-worker",
    "break-ingest-connections",
    "break-worker-connections",
    "lose-confirms",
    "kill-broker",
    "delete-queue",
    "memory-alarm",
    "slow-disk",
    "slow-store",
)


def short(fault: Fault) -> Fault:
    kind = fault.kind
    shortest_s, longest_s = min(kind.shortest_s, LONGEST_S), min(kind.longest_s, LONGEST_S)
    return replace(fault, kind=replace(kind, shortest_s=shortest_s, longest_s=longest_s, rest_s=REST_S))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    node = SingleNode(tmp_path / "broker")
    try:
        with world_around(node, tmp_path) as world:
            yield world
    finally:
        node.end()
        shutil.rmtree(tmp_path / "broker", ignore_errors=True)


@pytest.mark.slow
@pytest.mark.timeout(600)  # every fault is waited for, and a busy machine takes long for each
def test_what_was_accepted_ends_once_in_every_channel_whatever_is_killed_cut_or_slowed_down(
    world: World, tmp_path: Path
) -> None:
    faults = [short(FAULTS[name]) for name in QUICK]
    strikes = plan(SEED, SECONDS, [fault.kind for fault in faults])
    assert {strike.fault for strike in strikes} == set(QUICK), "the plan has no room for every fault"
    load = LoadPlan(SEED, rate=20, one_in_is_file=60, one_in_is_burst=100, burst_size=30)
    clip = tiny_clip(tmp_path / "clip.mp4")

    report = run_campaign(Campaign(load, SECONDS, strikes, faults, clip, every_strike=True, lag_s=3.0), world, tmp_path)

    print_report(report)
    assert report.holds, report.remarks
    assert report.answers.get("burst 202"), "no burst got through: nothing was proved about bursts"
    assert not [remark for remark in report.remarks if "went wrong" in remark]
