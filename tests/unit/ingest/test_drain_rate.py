import pytest

from ingest.drain_rate import WINDOW_S, DrainRate


def _rate(*samples):
    rate = DrainRate()
    for sample in samples:
        rate.add(*sample)
    return rate.per_s


@pytest.mark.parametrize(
    ("samples", "per_s"),
    [
        ([], 0),
        ([(0, 100, 0)], 0),
        ([(0, 100, 0), (0.5, 50, 0)], 0),  # too short a span to tell
        ([(0, 100, 0), (2, 80, 0)], 10),
        ([(0, 100, 0), (2, 100, 60)], 30),  # as much came as went
        ([(0, 0, 0), (2, 100, 160)], 30),
        ([(0, 100, 0), (2, 100, 0)], 0),
        ([(0, 100, 0), (2, 500, 0)], 0),  # somebody else publishes too: nothing is known of the drain
        ([(0, 100, 0), (1, 90, 0), (2, 60, 0)], 20),
    ],
)
def test_what_left_is_what_came_less_what_is_there(samples, per_s):
    assert _rate(*samples) == pytest.approx(per_s)


def test_only_the_last_seconds_count():
    fast = [(second, 10_000 - 100 * second, 0) for second in range(20)]
    stopped = [(20 + second, 8_000, 0) for second in range(int(WINDOW_S) + 1)]
    assert _rate(*fast) == pytest.approx(100)
    assert _rate(*fast, *stopped) == 0


def test_after_a_pause_in_the_readings_the_whole_pause_counts():
    assert _rate((0, 1000, 0), (100, 0, 0)) == pytest.approx(10)
