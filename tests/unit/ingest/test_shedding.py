import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.shedding import RETRY_AT_LEAST_S, RETRY_AT_MOST_S, Spread, retry_after_s, room_left, shed_fraction


@pytest.mark.parametrize(
    ("depth", "fraction"),
    [(0, 0), (209, 0), (210, 0), (219, 0.1), (255, 0.5), (282, 0.8), (299, 89 / 90), (300, 1), (301, 1), (10**9, 1)],
)
def test_above_the_high_water_mark_the_share_grows_with_what_is_taken_of_the_rest(depth, fraction):
    assert shed_fraction(depth, 300, 0.7) == pytest.approx(fraction)


@pytest.mark.parametrize(("depth", "fraction"), [(0, 0), (299, 0), (299.9, 0), (300, 1)])
def test_a_mark_at_the_capacity_is_a_wall(depth, fraction):
    assert shed_fraction(depth, 300, 1.0) == fraction


def test_a_capacity_of_one_is_open_or_shut():
    assert shed_fraction(0, 1, 0.7) == 0
    assert shed_fraction(1, 1, 0.7) == 1


@given(
    st.floats(0, 1e6),
    st.floats(0, 1e6),
    st.integers(1, 10**6),
    st.floats(0.01, 1),
)
def test_a_deeper_queue_never_sheds_less(one, other, capacity, high_water):
    low, high = (shed_fraction(depth, capacity, high_water) for depth in sorted((one, other)))
    assert 0 <= low <= high <= 1


@pytest.mark.parametrize(("depth", "left"), [(0, 300), (299, 1), (299.2, 0), (300, 0), (400, 0)])
def test_what_is_left_is_whole_messages(depth, left):
    assert room_left(depth, 300) == left


@pytest.mark.parametrize(
    ("surplus", "drain_per_s", "seconds"),
    [
        (0, 0, RETRY_AT_LEAST_S),
        (-5, 100, RETRY_AT_LEAST_S),
        (1, 1000, RETRY_AT_LEAST_S),
        (45, 10, 5),
        (50, 10, 5),
        (51, 10, 6),
        (590, 10, 59),
        (600, 10, RETRY_AT_MOST_S),
        (10**9, 10, RETRY_AT_MOST_S),
        (1, 0, RETRY_AT_MOST_S),
        (1, 1e-12, RETRY_AT_MOST_S),
    ],
)
def test_come_again_when_the_surplus_has_drained_within_bounds(surplus, drain_per_s, seconds):
    assert retry_after_s(surplus, drain_per_s) == seconds


@pytest.mark.parametrize("tenths", range(11))
def test_of_a_hundred_requests_exactly_the_share_is_refused(tenths):
    spread = Spread()
    assert sum(spread.refuses(tenths / 10) for _ in range(100)) == tenths * 10


def test_refusals_are_spread_evenly_and_not_in_heaps():
    spread = Spread()
    assert [spread.refuses(0.25) for _ in range(8)] == [False, False, False, True] * 2
    spread = Spread()
    assert [spread.refuses(0.75) for _ in range(8)] == [False, True, True, True] * 2


def test_a_changing_share_is_followed_to_within_one_request():
    spread, chance = Spread(), random.Random(7)
    shares = [chance.random() for _ in range(1000)]
    refused = sum(spread.refuses(share) for share in shares)
    assert abs(refused - sum(shares)) <= 1
