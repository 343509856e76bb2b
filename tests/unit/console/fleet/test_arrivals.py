"""The age of the oldest waiting message, from counts alone."""

from collections import deque

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from console.fleet.arrivals import GAP_S, KEEP_S, SETTLE_S, Arrivals, Lag


def watched(*looks: tuple[float, int, int | None]) -> Arrivals:
    arrivals = Arrivals()
    for now, ready, published in looks:
        arrivals.take(now, ready, published)
    return arrivals


def test_nothing_waits_has_no_age():
    assert watched((0, 0, 0), (1, 0, 7)).lag(1) == Lag(0.0)


def test_what_was_there_before_the_watch_is_at_least_as_old_as_the_watch():
    assert watched((100, 5, 50), (101, 5, 50), (160, 5, 50)).lag(160) == Lag(60.0, exact=False)


def test_messages_of_a_paused_queue_grow_old_by_the_second():
    arrivals = watched((0, 0, 0), (1, 0, 0), (2, 10, 10))
    for second in range(3, 40):
        arrivals.take(second, 10, 10)
    assert arrivals.lag(39) == Lag(37.0)


def test_a_burst_is_dated_by_what_waits_long_before_the_brokers_own_count_tells_of_it():
    arrivals = watched((0, 0, 0), (1, 2000, 0), (2, 2000, 0), (3, 2000, 0), (4, 2000, 0), (5, 2000, 2000))
    for second in range(6, 60):
        arrivals.take(second, 2000, 2000)
    assert arrivals.lag(59) == Lag(58.0)
    assert arrivals.count == 2000


def test_the_oldest_is_the_first_of_those_that_are_left():
    """Ten come at second 1, ten at second 5; once ten are gone the oldest is of second 5."""
    arrivals = watched((0, 0, 0), (1, 10, 10), (4, 10, 10), (5, 20, 20), (6, 11, 20))
    assert arrivals.lag(6) == Lag(5.0)
    arrivals.take(7, 10, 20)
    assert arrivals.lag(7) == Lag(2.0)


def test_messages_that_come_back_do_not_make_the_others_younger():
    """A worker that held 20 is stopped: nobody published what then waits more."""
    arrivals = watched((0, 0, 0), (1, 100, 100), (2, 80, 100), (3, 100, 100))
    assert arrivals.count == 120  # believed for now
    for second in range(4, 4 + int(SETTLE_S) + 2):
        arrivals.take(second, 100, 100)
    assert arrivals.count == 100
    now = 3 + SETTLE_S + 2
    assert arrivals.lag(now) == Lag(now - 1)


def test_a_counter_that_begins_anew_brings_no_new_messages():
    """The broker is restarted: its counters are at zero, the messages are all there, two in flight are back."""
    arrivals = watched((0, 0, 500), (1, 10, 510), (2, 8, 510), (30, 10, 0), (31, 10, 0))
    assert arrivals.count == 10
    assert arrivals.lag(31) == Lag(30.0)


def test_messages_that_come_while_the_counter_begins_anew_count_once():
    arrivals = watched((0, 0, 500), (1, 10, 510), (30, 25, 15), (31, 25, 15))
    assert arrivals.count == 25


def test_without_counters_what_waits_more_has_arrived():
    arrivals = watched((0, 0, None), (1, 10, None))
    for second in range(2, 40):
        arrivals.take(second, 10, None)
    assert arrivals.lag(39) == Lag(38.0)


def test_counters_that_begin_late_count_nothing_twice():
    arrivals = watched((0, 0, None), (1, 2000, None), (2, 1900, None), (3, 1800, 2000), (4, 1700, 2100))
    assert arrivals.count == 2100


def test_nobody_knows_when_messages_came_while_nobody_looked():
    arrivals = watched((0, 0, 0), (1, 0, 0), (60, 10, 10), (61, 10, 10))
    assert arrivals.lag(61) == Lag(1.0, exact=False)
    assert watched((0, 0, 0), (1, 0, 0), (1 + GAP_S, 10, 10)).lag(1 + GAP_S).exact


def test_the_memory_survives_a_restart():
    before = watched((0, 0, 0), (1, 10, 10), (2, 30, 30))
    after = Arrivals.restore(before.state())
    for arrivals in (before, after):
        arrivals.take(3, 25, 31)
    assert after.lag(3) == before.lag(3) == Lag(2.0)
    assert after.state() == before.state()


@pytest.mark.parametrize("state", [{}, {"times": "x"}, {"times": [1], "counts": [], "ready": 0}])
def test_a_memory_that_is_none_is_refused(state):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Arrivals.restore(state)


def test_a_day_of_traffic_is_remembered_in_little():
    arrivals = Arrivals()
    for second in range(6 * 3600):
        arrivals.take(second, second % 7, second)
    assert len(arrivals.state()["times"]) < KEEP_S + 200


steps = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=60)


@given(steps=steps, late=st.integers(0, 5))
@example(steps=[(1, 0), (1, 1), (0, 0), (1, 0), (0, 0), (1, 0)], late=2)
def test_late_counters_make_nothing_much_younger_and_are_right_again_once_they_have_caught_up(steps, late):
    """Each second some messages come and some go; the broker's count is ``late`` seconds old, what waits is exact."""
    queue: deque[int] = deque()
    published = [0]
    arrivals = Arrivals()
    arrivals.take(0, 0, 0)
    for now, (came, wanted) in enumerate([*steps, *[(0, 0)] * (late + 1)], start=1):
        queue.extend([now] * came)
        published.append(published[-1] + came)
        for _ in range(min(wanted, len(queue))):
            queue.popleft()
        arrivals.take(now, len(queue), published[max(0, now - late)])
        lag, truth = arrivals.lag(now).seconds, now - queue[0] if queue else 0
        assert lag >= truth - late - 1
        assert lag == truth or late
    assert abs(lag - truth) <= 2 * late


@given(steps=steps)
def test_a_queue_that_nobody_serves_is_dated_exactly_however_late_the_counters_are(steps):
    first: int | None = None
    waiting = 0
    arrivals = Arrivals()
    arrivals.take(0, 0, 0)
    for now, (came, _) in enumerate(steps, start=1):
        waiting += came
        first = now if first is None and came else first
        arrivals.take(now, waiting, 0 if now <= SETTLE_S else waiting)
        assert arrivals.lag(now).seconds == (now - first if first is not None else 0)
