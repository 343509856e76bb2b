"""What is remembered of a fleet, and the figures that come of it."""

from datetime import UTC, datetime, timedelta

import pytest

from console.control.fleet_control import ChannelWorkers, WorkerView
from console.fleet.history import Sample
from console.planner.arrivals_seen import ArrivalsSeen
from console.planner.figures import assumed, given, measured
from console.planner.job_times import constant
from console.planner.measured import MEASURED, Seen, measure
from console.planner.observed import ObservedChannel
from console.planner.scaling_rule import rule_of
from console.planner.starts import Starts
from console.planner.tally import Counted
from console.planner.worker_metrics import NOTHING_COUNTED, WorkerCounters
from local_fleet import autoscaler
from mq_common.channels import load_channels

SPEC = load_channels(None, "simulated")["subtitle"]
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def worker(name: str, began_s: float, took_s: float | None) -> WorkerView:
    began = NOON + timedelta(seconds=began_s)
    ready = None if took_s is None else began + timedelta(seconds=took_s)
    return WorkerView(name, "ready" if ready else "starting", began, ready, 0, None, None)


def seen(**changes: object) -> Seen:
    values = {
        "arrival": measured(2.0, 240, 120),
        "usual_arrival": measured(1.0, 900, 900),
        "peak": None,
        "moments": (),
        "counted": Counted(NOTHING_COUNTED, 0.0),
        "starts": None,
        "ready": 4,
        "unacked": 5,
        "oldest_s": 0.0,
        "workers": 2,
    }
    return Seen(**values | changes)  # type: ignore[arg-type]


def test_arrivals_are_told_of_late_and_over_all_that_is_remembered() -> None:
    arrivals = ArrivalsSeen()
    for second in range(901):
        arrivals.add(1000 + second, 6.0 if second > 780 else 1.0)
    assert arrivals.over(120).value == pytest.approx(6.0)
    assert arrivals.over(900).value == pytest.approx((780 + 6 * 120) / 900, rel=0.01)
    assert arrivals.over(120).samples == 720


def test_a_burst_is_the_busiest_half_minute() -> None:
    arrivals = ArrivalsSeen()
    for second in range(600):
        arrivals.add(second, 100.0 if 300 <= second < 320 else 0.0)
    assert arrivals.peak is not None
    assert arrivals.peak.messages == 2000
    assert 250 <= arrivals.peak.ago_s <= 300


def test_seconds_in_which_nobody_looked_are_not_counted_as_quiet() -> None:
    arrivals = ArrivalsSeen()
    for second in (0, 1, 2, 200, 201, 202):
        arrivals.add(second, 5.0)
    assert arrivals.over(900) == measured(5.0, 20, 4)
    assert ArrivalsSeen().over(900) == assumed(0.0)
    assert ArrivalsSeen().peak is None


def test_a_start_that_waited_for_the_broker_says_nothing_of_starts() -> None:
    starts = Starts()
    since = (NOON + timedelta(seconds=30)).timestamp()
    starts.take([worker("a-1", 0, 32.0), worker("a-2", 40, 1.5), worker("a-3", 41, None)], since)
    starts.take([worker("a-2", 40, 1.5), worker("a-3", 41, 2.5)], since)
    assert starts.times is not None
    assert starts.times.points == (1.5, 2.5)


def test_figures_say_where_they_come_from() -> None:
    counters = WorkerCounters((0.1, 0.2, 3.0), (0, 90, 10, 0), 90 * 0.15 + 10 * 2.0, {"done": 90, "rejected": 10})
    rule = rule_of(SPEC, None, "local", 60)
    known = measure(SPEC, seen(counted=Counted(counters, 120.0), starts=constant(1.2)), rule, "local", simulated=True)
    assert (known.job.source, known.job.samples) == ("measured", 100)
    assert known.job.value == pytest.approx(0.335)
    assert known.failing.value == pytest.approx(0.1)
    assert known.start == measured(1.2, 1)
    assert not known.start.is_sure and known.job.is_sure

    unknown = measure(SPEC, seen(), rule, "local", simulated=True)
    assert unknown.job.source == "configured"
    assert unknown.failing.value == SPEC.simulated.failure_rate
    assert unknown.remarks == ("no_jobs_seen",)
    assert measure(SPEC, seen(), rule, "local", simulated=False).job.source == "assumed"
    assert not assumed(1).is_sure and given(1).is_sure


def test_figures_travel_as_json_with_their_distributions() -> None:
    figures = measure(SPEC, seen(starts=constant(1.2)), rule_of(SPEC, None, "local", 60), "local", simulated=True)
    assert MEASURED.validate_json(MEASURED.dump_json(figures)) == figures


def test_the_rule_is_the_one_that_scales_the_fleet() -> None:
    workers = ChannelWorkers("subtitle", (), 3, 2, 4, paused=False, scaled_by="autoscaler")
    local = rule_of(SPEC, workers, "local", 20)
    assert (local.target, local.fewest, local.most, local.cooldown_s, local.follows) == (15, 2, 4, 20, True)
    assert local.poll_s == autoscaler._INTERVAL_S
    assert rule_of(SPEC, workers, "kubernetes", 20).cooldown_s == 300
    by_hand = ChannelWorkers("subtitle", (), 3, 2, 4, paused=False, scaled_by="hand")
    assert not rule_of(SPEC, by_hand, "local", 20).follows


def test_a_queue_that_ran_empty_between_two_looks_was_not_full() -> None:
    observed = ObservedChannel()
    rows = [(9, 4, 1.0, 2.0, 2, 0, 0.0, 0), (0, 4, 1.0, 2.0, 2, 0, 0.0, 0), (7, 4, 1.0, 2.0, 2, 0, 0.0, 0)]
    observed.take_queue(
        "subtitle", [Sample(number, 100.0 + number, {"subtitle": row}) for number, row in enumerate(rows)]
    )
    (moment,) = observed.moments
    assert (moment.ready, moment.unacked, moment.consumers) == (0, 4, 2)
    assert observed.now.ready == 7


def test_a_burst_of_a_moment_ago_is_not_what_goes_on_arriving() -> None:
    arrivals = ArrivalsSeen()
    for second in range(300):
        arrivals.add(second, 1.0 if not 250 <= second < 256 else 100.0)
    assert arrivals.steady.value == pytest.approx(1.0, rel=0.1)
    assert arrivals.over(120).value > 5
    quiet = ArrivalsSeen()
    for second in range(300):
        quiet.add(second, 0.05)
    assert quiet.steady.value == pytest.approx(0.05)
