"""A short run of the ledger on one broker: blows to every part, one at a time and then mixed, in a fixed plan."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.clip import tiny_clip
from mediaflow_chaos.faults import FAULTS
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.node import SingleNode
from mediaflow_chaos.report import print_report
from mediaflow_chaos.strikes import plan
from mediaflow_chaos.world import World, world_around

SEED = 3
SECONDS = 60.0
#: What a minute has room for; `make chaos` has them all, and those that last longer.
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
)


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
def test_what_was_accepted_ends_once_in_every_channel_whatever_is_killed_cut_or_slowed_down(
    world: World, tmp_path: Path
) -> None:
    faults = [FAULTS[name] for name in QUICK]
    strikes = plan(SEED, SECONDS, [fault.kind for fault in faults])
    assert {strike.fault for strike in strikes} == set(QUICK), "the plan has no room for every fault"
    load = LoadPlan(SEED, rate=20, one_in_is_file=60)

    report = run_campaign(Campaign(load, SECONDS, strikes, faults, tiny_clip(tmp_path / "clip.mp4")), world, tmp_path)

    print_report(report)
    assert report.holds, report.remarks
    assert not [remark for remark in report.remarks if "went wrong" in remark]
