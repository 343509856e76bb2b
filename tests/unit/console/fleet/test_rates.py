"""Rates, time to drain, and the redelivery storm."""

import math
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from console.fleet import storm as storm_rule
from console.fleet.counters import Counter
from console.fleet.drain import drain_s
from console.fleet.storm import Storm, StormWatch

RULES = Path(__file__).resolve().parents[4] / "charts" / "mediaflow" / "rules" / "alerts.yaml"


def counter(values: list[int], *, start: float = 0.0) -> Counter:
    made = Counter()
    for second, value in enumerate(values):
        made.add(start + second, value)
    return made


def steady(per_s: float, seconds: int) -> list[int]:
    return [int(per_s * second) for second in range(seconds + 1)]


def test_a_rate_is_growth_over_time():
    assert counter(steady(3, 20)).rate() == pytest.approx(3)


def test_a_counter_that_begins_anew_has_not_gone_backwards():
    assert counter([100, 110, 5, 15]).grown(60) == (25, 3)


def test_a_counter_that_there_is_not_yet_is_at_zero():
    """Brokers tell no counters of a queue at which nothing has happened; what it begins with has happened since."""
    made = Counter()
    for second in range(10):
        made.add(second, None)
    assert made.rate() == 0
    made.add(10, 2000)
    assert made.grown(60) == (2000, 10)


def test_counters_that_move_every_five_seconds_give_a_rate_that_is_never_zero_in_between():
    made = counter([(second // 5) * 50 for second in range(60)])
    for second in range(60, 75):
        made.add(second, (second // 5) * 50)
        assert 5 < made.rate() < 18


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_no_rate_is_negative(readings):
    made = counter(readings)
    assert made.rate() >= 0
    assert made.grown(1000)[0] >= 0


@pytest.mark.parametrize(
    ("backlog", "came", "went", "drain"),
    [
        (0, steady(5, 60), steady(0, 60), 0.0),  # nothing waits
        (100, steady(0, 60), steady(5, 60), 20.0),
        (100, steady(3, 60), steady(5, 60), 50.0),  # at what is left over
        (100, steady(5, 60), steady(3, 60), math.inf),  # it grows
        (100, steady(0, 60), steady(0, 60), math.inf),  # nothing moves
        (100, steady(0, 1), steady(0, 1), None),  # nothing is known yet
        (60, steady(0, 300), steady(0.1, 300), 600.0),  # a job takes ten seconds
        # A burst half a minute ago is over: it is no flow.
        (300, [0] * 30 + [2000] * 31, steady(4, 60), 75.0),
        # Workers were added a few seconds ago: the rate is today's, not that of the last minutes.
        (400, steady(0, 60), steady(1, 45) + [45 + 8 * n for n in range(1, 16)], 50.0),
    ],
)
def test_a_backlog_is_gone_at_the_rate_of_now(backlog, came, went, drain):
    found = drain_s(backlog, counter(came), counter(went))
    assert found == (pytest.approx(drain, rel=0.1) if drain is not None else None)


def storms(redelivered: list[int], acked: list[int]) -> list[Storm]:
    again, done, watch, found = Counter(), Counter(), StormWatch(), []
    for second, (r, a) in enumerate(zip(redelivered, acked, strict=True)):
        again.add(second, r)
        done.add(second, a)
        found.append(watch.look(second, again, done))
    return found


def test_one_message_that_comes_again_and_again_is_suspected_soon_and_called_by_its_name_within_minutes():
    """The article's scenario 5: 450 redeliveries a second, nothing done."""
    found = storms(steady(450, 120), steady(0, 120))
    assert found[10] is Storm.NONE
    assert found[20] is Storm.SUSPECTED
    assert found[119] is Storm.RAGING


def test_redeliveries_beside_work_are_no_storm():
    assert set(storms(steady(450, 200), steady(50, 200))) == {Storm.NONE}


def test_work_without_redeliveries_is_no_storm():
    assert set(storms(steady(0, 200), steady(0, 200))) == {Storm.NONE}


def test_work_that_stops_in_a_storm_is_seen_before_the_alert_sees_it():
    found = storms(steady(450, 300), [min(50 * s, 5000) for s in range(301)])
    assert found[99] is Storm.NONE
    assert found[125] is Storm.SUSPECTED
    assert found[300] is Storm.RAGING


def test_a_storm_that_ends_is_over():
    assert storms([min(450 * s, 45000) for s in range(400)], steady(0, 399))[-1] is Storm.NONE


def test_the_rule_is_that_of_the_alert():
    rules = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    alert = next(rule for rule in rules if rule["alert"] == "MediaflowRequeueStorm")
    assert re.findall(r"delivered_ack_total.*\[(\d+)m\]\)\) > (\d+)", alert["expr"]) == [
        (f"{storm_rule.WINDOW_S / 60:g}", f"{storm_rule.REDELIVERED_PER_S:g}")
    ]
    assert re.findall(r"acked_total.*\[(\d+)m\]\)\) < ([\d.]+)", alert["expr"]) == [
        (f"{storm_rule.WINDOW_S / 60:g}", f"{storm_rule.ACKED_PER_S:g}")
    ]
    assert alert["for"] == f"{storm_rule.HOLD_S / 60:g}m"
