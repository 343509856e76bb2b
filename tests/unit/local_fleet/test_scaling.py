"""KEDA's rule and the patience on the way down."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_fleet.scaling import CoolDown, wanted_workers


@pytest.mark.parametrize(
    ("ready", "unacked", "per_worker", "fewest", "most", "wanted"),
    [
        (0, 0, 15, 4, 16, 4),  # nothing to do: the fewest
        (0, 0, 15, 0, 16, 0),  # down to none where that is allowed
        (1, 0, 15, 0, 16, 1),
        (15, 0, 15, 1, 16, 1),
        (16, 0, 15, 1, 16, 2),  # rounded up
        (0, 1, 2, 0, 8, 1),  # a job in flight keeps its worker although nothing is ready
        (1, 2, 2, 1, 8, 2),
        (61, 0, 15, 4, 16, 5),
        (10_000, 0, 15, 4, 16, 16),  # never above the most
        (-3, 0, 15, 1, 16, 1),  # a broker's figures may be off for a moment
    ],
)
def test_workers_follow_the_backlog_between_fewest_and_most(ready, unacked, per_worker, fewest, most, wanted):
    assert wanted_workers(ready, unacked, per_worker=per_worker, fewest=fewest, most=most) == wanted


@given(ready=st.integers(0, 10**6), unacked=st.integers(0, 10**4), per_worker=st.integers(1, 1000))
def test_enough_workers_and_none_too_many(ready, unacked, per_worker):
    wanted = wanted_workers(ready, unacked, per_worker=per_worker, fewest=0, most=10**9)
    assert wanted * per_worker >= ready + unacked
    assert (wanted - 1) * per_worker < ready + unacked or wanted == 0


@pytest.mark.parametrize(
    ("looks", "settled"),
    [
        ([(0, 1), (10, 5)], [1, 5]),  # up at once
        ([(0, 5), (10, 1), (59, 1)], [5, 5, 5]),  # down not before the window has passed
        ([(0, 5), (10, 1), (61, 1)], [5, 5, 1]),
        ([(0, 5), (30, 3), (61, 1), (91, 1)], [5, 5, 3, 1]),  # step by step, to the highest of the last minute
    ],
)
def test_down_only_after_the_window(looks, settled):
    cooldown = CoolDown(window_s=60)
    assert [cooldown.settle(now, wanted, running=1) for now, wanted in looks] == settled


def test_what_ran_at_the_beginning_was_wanted():
    cooldown = CoolDown(window_s=60)
    assert cooldown.settle(0, 1, running=6) == 6
    assert cooldown.settle(61, 1, running=6) == 1
