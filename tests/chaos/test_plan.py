"""The nemesis' plan: repeatable, within its time, one subject at a time."""

from itertools import pairwise

import pytest
from mediaflow_chaos.faults import FAULTS
from mediaflow_chaos.strikes import WARM_UP_S, FaultKind, plan

KINDS = [fault.kind for fault in FAULTS.values()]


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert plan(7, 600, KINDS) == plan(7, 600, KINDS)
    assert plan(7, 600, KINDS) != plan(8, 600, KINDS)


@pytest.mark.parametrize("seed", range(20))
def test_a_long_plan_has_every_fault_first_alone_and_later_beside_others(seed: int) -> None:
    strikes = plan(seed, 1800, KINDS)

    alone = strikes[: len(KINDS)]
    assert {strike.fault for strike in alone} == set(FAULTS)
    assert all(before.until_s < after.at_s for before, after in pairwise(alone))
    assert any(before.until_s > after.at_s for before, after in pairwise(strikes[len(KINDS) :]))


@pytest.mark.parametrize("seed", range(20))
def test_every_strike_is_within_the_time_and_after_the_warm_up(seed: int) -> None:
    for strike in plan(seed, 240, KINDS):
        assert strike.at_s >= WARM_UP_S
        assert strike.until_s <= 240


@pytest.mark.parametrize("seed", range(20))
def test_no_subject_is_hurt_twice_at_once(seed: int) -> None:
    by_subject: dict[str, list[tuple[float, float]]] = {}
    for strike in plan(seed, 1800, KINDS):
        spans = by_subject.setdefault(FAULTS[strike.fault].kind.subject, [])
        assert all(strike.at_s >= until or strike.until_s <= since for since, until in spans)
        spans.append((strike.at_s, strike.until_s))


def test_without_faults_there_is_nothing_to_plan() -> None:
    assert plan(1, 60, []) == ()


def test_a_fault_that_lasts_longer_than_the_run_is_not_begun() -> None:
    assert plan(1, 10, [FaultKind("long", "broker", 20, 30)]) == ()
