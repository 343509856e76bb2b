"""What a message costs besides its job, seen while the queue never runs empty."""

import pytest

from console.planner.slot_cycle import Moment, slot_cycle


def full_queue(seconds: int, per_second: float, *, begin: int = 0, consumers: int = 2, ready: int = 9) -> list[Moment]:
    return [
        Moment(begin + second, ready, 4, 1000, int(per_second * second), consumers) for second in range(seconds + 1)
    ]


def test_places_times_seconds_by_messages_is_a_round() -> None:
    cycle = slot_cycle(full_queue(60, 3.9), concurrency=2, least_s=5)
    assert cycle is not None
    assert cycle.seconds == pytest.approx(4 / 3.9, rel=0.01)
    assert cycle.rounds == 234


def test_what_waits_for_no_message_says_nothing() -> None:
    assert slot_cycle(full_queue(60, 3.9, ready=0), 2, 5) is None
    assert slot_cycle(full_queue(60, 3.9, consumers=0), 2, 5) is None
    assert slot_cycle([], 2, 5) is None


def test_a_change_of_workers_ends_a_stretch() -> None:
    before = full_queue(10, 4, consumers=2)
    after = [Moment(10 + second, 9, 8, 1000, 40 + 8 * second, consumers=4) for second in range(1, 12)]
    cycle = slot_cycle(before + after, 1, 5)
    assert cycle is not None
    assert cycle.seconds == pytest.approx((2 * 10 + 4 * 10) / (40 + 80))
    assert slot_cycle(before[:4], 1, 5) is None  # too short
