"""Histograms become distributions that keep what was measured."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.planner.job_times import JobTimes, constant, from_histogram, without
from mq_common._histogram import Observations
from mq_common.metrics import JOB_BUCKETS

values = st.lists(st.floats(0.001, 20_000), min_size=1, max_size=80)


def histogram(values: list[float]) -> tuple[list[float], float]:
    seen = Observations(JOB_BUCKETS)
    for value in values:
        seen.observe(value)
    return [now - then for now, then in zip(seen.cumulative(), [0.0, *seen.cumulative()], strict=False)], seen.total


@given(values)
def test_the_mean_is_the_measured_one(values: list[float]) -> None:
    times = from_histogram(JOB_BUCKETS, *histogram(values))
    assert times.mean_s == pytest.approx(sum(values) / len(values), rel=1e-9)
    assert all(low <= high for low, high in pairwise(times.points))
    assert times.points[0] >= 0


def test_jobs_that_all_take_the_same_time_do_not_spread_over_their_bucket() -> None:
    times = from_histogram(JOB_BUCKETS, *histogram([2.003] * 500))
    assert times.variation < 0.01
    assert times.quantile(0.99) == pytest.approx(2.003, rel=0.01)


def test_two_kinds_of_jobs_stay_two_kinds() -> None:
    times = from_histogram(JOB_BUCKETS, *histogram([0.15] * 90 + [2.0] * 10))
    assert times.quantile(0.5) == pytest.approx(0.15, rel=0.3)
    assert times.quantile(0.95) == pytest.approx(2.0, rel=0.3)


def test_a_spread_is_found_again_within_the_width_of_the_buckets() -> None:
    numbers = random.Random(7)
    values = [numbers.lognormvariate(0, 0.8) for _ in range(5000)]
    times = from_histogram(JOB_BUCKETS, *histogram(values))
    values.sort()
    for share in (0.1, 0.5, 0.9, 0.99):
        assert times.quantile(share) == pytest.approx(values[int(share * len(values))], rel=0.25)


def test_a_histogram_without_values_is_refused() -> None:
    with pytest.raises(ValueError, match="says nothing"):
        from_histogram((1.0, 2.0), (0, 0, 0), 0.0)


def test_draws_come_from_the_points() -> None:
    times = JobTimes((1.0, 3.0))
    numbers = random.Random(1)
    drawn = [times.draw(numbers) for _ in range(200)]
    assert set(drawn) == {1.0, 3.0}


def test_what_is_taken_out_of_a_distribution_is_taken_where_it_was() -> None:
    times = from_histogram(JOB_BUCKETS, *histogram([0.15] * 90 + [2.0] * 10))
    rest = without(times, 0.1, 2.0)
    assert rest.mean_s == pytest.approx(0.15, rel=1e-6)
    assert rest.points[-1] < 0.5
    assert without(constant(1.0), 0.5, 1.0) == constant(1.0)
