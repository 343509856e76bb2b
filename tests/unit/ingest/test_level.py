import pytest

from ingest.level import FADE_S, Level, Reading

CAPACITY = 300


def _level(now=0.0):
    return Level(CAPACITY, trusted_s=5, now=now)


def _reading(depth, at, *, drain=0.0, arrived=0):
    return Reading("media.transcode", depth, drain, at, arrived)


def test_before_the_first_reading_arrivals_fill_it_and_time_empties_it():
    level = _level()
    assert level.at(0, 0) == 0
    assert level.at(0, 300) == 300
    assert not level.is_fresh(0)
    assert level.at(FADE_S / 2, 300) == pytest.approx(150)
    assert level.at(FADE_S, 300) == 0
    assert level.at(FADE_S * 2, 310) == 10


def test_arrivals_since_a_reading_are_added():
    level = _level()
    level.take(_reading(200, at=10, arrived=1000))
    assert level.is_fresh(10)
    assert level.at(10, 1000) == 200
    assert level.at(11, 1040) == 240


def test_what_drains_is_set_off_against_arrivals_but_never_against_the_reading():
    level = _level()
    level.take(_reading(CAPACITY, at=10, drain=20, arrived=0))
    assert level.at(11, 30) == CAPACITY + 10
    assert level.at(12, 30) == CAPACITY
    assert level.at(14.9, 30) == CAPACITY


def test_a_newer_reading_replaces_all_that_was_thought():
    level = _level()
    level.take(_reading(300, at=10, arrived=0))
    level.at(12, 500)
    level.take(_reading(7, at=12, arrived=500))
    assert level.at(12, 500) == 7


def test_without_readings_a_full_queue_is_not_full_for_ever():
    level = _level()
    level.take(_reading(CAPACITY, at=0))
    assert level.at(5, 0) == CAPACITY
    assert not level.is_fresh(5)
    assert level.at(5 + FADE_S / 2, 0) == pytest.approx(CAPACITY / 2)
    assert level.at(5 + FADE_S, 0) == pytest.approx(0)


def test_without_readings_an_empty_queue_is_not_empty_for_ever():
    level = _level()
    level.take(_reading(0, at=0))
    level.at(100, 0)
    assert level.at(101, 290) == 290
    assert level.at(101, 310) == 310


def test_without_readings_as_much_is_let_in_as_went_through_before():
    level = _level()
    level.take(_reading(150, at=0, drain=50))
    arrived, second = 0, 5
    for second in range(6, 66):
        while level.at(second, arrived) < CAPACITY:
            arrived += 1
    # what there was room for, and what drained at the rate last seen
    assert arrived == pytest.approx(150 + 50 * (second - 5), abs=5)


def test_time_before_the_reading_grew_old_does_not_leak():
    level = _level()
    level.take(_reading(CAPACITY, at=0))
    assert level.at(5 + FADE_S / 10, 0) == pytest.approx(CAPACITY * 0.9)
