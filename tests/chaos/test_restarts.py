"""Ten roll-outs of every worker under load: no message may pay for them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.faults import Fault
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.member import Member
from mediaflow_chaos.report import print_report
from mediaflow_chaos.shared import SharedBroker
from mediaflow_chaos.strikes import FaultKind, Strike
from mediaflow_chaos.world import World, world_around

ROUNDS = 10
#: The least; the load goes on until the last round is over.
SECONDS = 8.0


@pytest.fixture
def world(tmp_path: Path, amqp_url: str, management_url: str) -> Iterator[World]:
    with world_around(SharedBroker(amqp_url, management_url), tmp_path, workers_per_channel=1) as world:
        yield world


@pytest.mark.slow
def test_ten_rolling_restarts_put_no_message_into_a_dead_letter_queue_and_end_every_worker_in_order(
    world: World, tmp_path: Path
) -> None:
    def ten_roll_outs(world: World, strike: Strike) -> None:
        """Each channel at its own pace."""

        def roll_out(worker: Member) -> None:
            for _ in range(ROUNDS):
                worker.restart(40)

        with ThreadPoolExecutor(len(world.fleet.workers)) as channels:
            list(channels.map(roll_out, world.fleet.workers))

    fault = Fault(FaultKind("ten-roll-outs", "worker"), ten_roll_outs)
    load = LoadPlan(10, rate=20, one_in_is_file=0)

    report = run_campaign(
        Campaign(
            load, SECONDS, [Strike(1.0, fault.kind.name, 0, 0.0)], [fault], b"", delivery_limit_allowed=False, lag_s=3.0
        ),
        world,
        tmp_path,
    )

    print_report(report)
    assert report.holds
    assert report.remarks == [], "a restart went wrong, or a worker ended with another code than 0"
    for worker in world.fleet.workers:
        assert worker.endings[:-1] == [0] * ROUNDS
    assert all(account.by_delivery_limit == 0 for account in report.accounts)
