"""What will happen, for situations whose end can be worked out by hand."""

from dataclasses import replace

import pytest

from console.planner.forecast import Cancelled, forecast, horizon_of, spread


def test_a_backlog_is_gone_after_work_by_places(asked):
    ahead = forecast(asked(backlog=600, follows=False, workers=4), seeds=3, horizon_s=None)
    assert ahead.drained_s is not None
    assert ahead.drained_s.median == pytest.approx(600 * 2.0 / 20, rel=0.02)
    assert ahead.peak_depth.median == 600
    assert ahead.peak_lag_s.median == pytest.approx(58, rel=0.02)  # the last round begins when the one before ends
    assert ahead.worker_hours.median == pytest.approx(4 * ahead.horizon_s / 3600)


def test_scaled_workers_drain_it_sooner_and_the_starts_are_paid_for(asked):
    fixed = forecast(asked(backlog=600, follows=False, workers=2), seeds=3, horizon_s=None)
    scaled = forecast(asked(backlog=600), seeds=3, horizon_s=None)
    assert fixed.drained_s is not None and scaled.drained_s is not None
    assert scaled.drained_s.median < fixed.drained_s.median / 3
    assert scaled.most_workers.median == 8
    ideal_s = 600 * 2.0 / 40
    assert ideal_s < scaled.drained_s.median < ideal_s + 6  # poll, figures' age, start, last round


def test_a_burst_over_some_seconds_peaks_at_what_was_not_done_meanwhile(asked):
    ahead = forecast(asked(burst=120, burst_over_s=10, follows=False, workers=1), seeds=3, horizon_s=None)
    assert ahead.peak_depth.median == pytest.approx(120 - 10 * 2.5 + 5, abs=5)
    assert ahead.drained_s is not None
    assert ahead.drained_s.median == pytest.approx(120 / 2.5, rel=0.06)


def test_more_than_all_workers_can_do_never_drains_and_says_how_fast_it_grows(asked):
    ahead = forecast(asked(arrival_per_s=30), seeds=2, horizon_s=90)
    assert ahead.growth == pytest.approx(10)
    assert ahead.drained_s is None
    assert ahead.points[-1].ready > 500


def test_twice_the_uploads_are_twice_the_measured_ones(channel):
    from console.planner.figures import measured
    from console.planner.question import Question
    from console.planner.situation import situation

    now = situation(channel(arrival=measured(2.0, 1800, 900)), Question(arrival_times=2))
    assert now.arrival.value == 4.0
    assert now.arrival.source == "measured"


def test_jobs_that_always_fail_keep_their_places_longer_and_end_as_dead_letters(asked):
    well = forecast(asked(backlog=400, follows=False), seeds=3, horizon_s=None)
    ill = forecast(asked(backlog=400, follows=False, failing=0.25), seeds=3, horizon_s=None)
    assert well.drained_s is not None and ill.drained_s is not None
    assert ill.drained_s.median == pytest.approx(well.drained_s.median * (0.75 * 2 + 0.25 * 9) / 2, rel=0.1)
    assert ill.dead.median == pytest.approx(100, abs=25)


def test_what_a_place_stands_empty_counts(asked):
    from console.planner.figures import measured

    situation = replace(asked(backlog=500, follows=False), overhead=measured(0.2, 100))
    ahead = forecast(situation, seeds=1, horizon_s=None)
    assert ahead.drained_s is not None
    assert ahead.drained_s.median == pytest.approx(50 * 2.2, rel=0.02)


def test_the_same_question_has_the_same_answer(asked):
    first = forecast(asked(arrival_per_s=5, backlog=50), seeds=3, horizon_s=100)
    assert forecast(asked(arrival_per_s=5, backlog=50), seeds=3, horizon_s=100) == first


def test_the_horizon_reaches_beyond_the_end(asked):
    for backlog in (20, 50, 2000):
        situation = asked(backlog=backlog, arrival_per_s=4)
        ahead = forecast(situation, seeds=2, horizon_s=None)
        assert ahead.drained_s is not None
        assert ahead.drained_s.high < horizon_of(situation)


def test_what_waits_already_goes_on_growing_old(channel):
    from console.planner.question import Question
    from console.planner.situation import situation

    waiting = situation(channel(ready=200, oldest_s=30.0), Question(follows=False))
    ahead = forecast(waiting, seeds=1, horizon_s=None)
    assert ahead.points[0].lag_s == pytest.approx(30 * (1 - 10 / 200), abs=0.2)  # ten are taken at once
    assert ahead.peak_lag_s.median == pytest.approx(39.5, abs=0.5)  # each round begins 2 s later, by 1.5 s younger ones
    assert forecast(situation(channel(oldest_s=30.0), Question(backlog=50)), seeds=1, horizon_s=60).points[0].lag_s == 0


def test_an_answer_nobody_waits_for_is_given_up(asked):
    with pytest.raises(Cancelled):
        forecast(asked(backlog=10), seeds=3, horizon_s=None, is_cancelled=lambda: True)


def test_a_spread_is_the_middle_and_the_ends():
    assert spread([3, 1, 2, 10]) == spread([10, 3, 2, 1])
    assert (spread([3, 1, 2]).median, spread([3, 1, 2, 10]).median) == (2, 2.5)
