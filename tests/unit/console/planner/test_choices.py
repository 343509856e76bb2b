"""The search for cheap settings that keep the lag."""

import pytest

from console.planner.choices import Search
from console.planner.forecast import Cancelled


def test_a_setting_that_does_well_is_left_as_it_is(asked):
    found = Search(asked(arrival_per_s=3), 60, seeds=2).run()
    assert found.as_is.keeps
    assert found.best == found.as_is


def test_what_keeps_the_lag_really_does_and_one_worker_less_does_not(asked):
    found = Search(asked(arrival_per_s=22), 20, seeds=2).run()
    assert not found.as_is.keeps  # 8 workers finish 20 a second
    assert found.as_is.grows
    assert found.best is not None and found.best.keeps
    assert found.best.most == 10  # 22 × 2 s / 5 places are 8.8 workers, and a queue needs some air
    assert found.best.peak_lag_s.high <= 20
    assert found.best in found.front


def test_every_choice_on_the_list_is_there_for_a_reason(asked):
    shown = Search(asked(arrival_per_s=9), 20, seeds=2, budget_s=300).run().front
    front = [each for each in shown if each.target is not None]
    assert [each.target for each in shown[len(front) :]] == [None]
    costs = [each.worker_hours.median for each in front]
    lags = [each.peak_lag_s.median for each in front]
    assert costs == sorted(costs)
    assert lags == sorted(lags, reverse=True)
    assert all(each.keeps for each in front)


def test_a_burst_needs_more_workers_the_sooner_it_has_to_be_begun(asked):
    slow = Search(asked(burst=400), 40, seeds=2).run().best
    fast = Search(asked(burst=400), 14, seeds=2).run().best
    assert slow is not None and fast is not None
    assert fast.most > 1.5 * slow.most


def test_a_limit_that_can_not_be_kept_has_no_answer_and_what_was_tried_is_told(asked):
    found = Search(asked(burst=400), 14, seeds=2, most=6).run()
    assert found.best is None
    assert found.limit == 6
    assert not found.as_is.keeps


def test_a_fixed_target_is_the_only_one_tried(asked):
    found = Search(asked(arrival_per_s=9), 20, seeds=2, target=30).run()
    assert {each.target for each in found.front} <= {30, None}


def test_a_search_ends_when_its_time_is_over_with_what_it_has(asked):
    full = Search(asked(arrival_per_s=9), 20, seeds=2, budget_s=300).run()
    found = Search(asked(arrival_per_s=9), 20, seeds=2, budget_s=0).run()
    assert full.complete and not found.complete
    assert found.tried <= 3 < full.tried


def test_a_search_nobody_waits_for_is_given_up(asked):
    with pytest.raises(Cancelled):
        Search(asked(arrival_per_s=3), 60, seeds=1, is_cancelled=lambda: True).run()
