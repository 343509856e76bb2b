"""What is read from a worker's own page, and what workers that come and go add up to."""

import pytest
from prometheus_client import generate_latest

from console.control.fleet_control import WorkerReading
from console.planner.tally import Tally
from console.planner.worker_metrics import NOTHING_COUNTED, WorkerCounters, read_counters, read_reading
from mq_common import metrics


def counted(jobs: int, seconds: float, rejected: int = 0) -> WorkerCounters:
    ends = {"done": jobs - rejected, "rejected": rejected}
    return WorkerCounters((1.0, 2.0), (0, jobs, 0), seconds, ends, {"transient": 4 * rejected})


def test_a_workers_page_is_read_for_its_channel_alone() -> None:
    for channel, seconds in (("page-one", 1.4), ("page-one", 0.2), ("page-two", 9.0)):
        metrics.JOB_SECONDS.of(channel).observe(seconds)
        metrics.JOBS.labels(channel, "done").inc()
    metrics.FAILED_ATTEMPTS.labels("page-one", "transient").inc(3)
    read = read_counters(generate_latest().decode(), "page-one")
    assert read.jobs == 2
    assert read.seconds == pytest.approx(1.6)
    assert read.ends == {"done": 2}
    assert read.failed_attempts == {"transient": 3}
    assert read.bounds == metrics.JOB_BUCKETS
    assert read_counters("nothing of it", "page-one") == NOTHING_COUNTED


def test_a_workers_page_says_how_it_is_doing() -> None:
    metrics.OLDEST_SECONDS.labels("page-one").set(42.5)
    metrics.OLDEST_SECONDS.labels("page-two").set(7)
    page = generate_latest().decode()
    read = read_reading(page, "page-one")
    assert read.oldest_job_s == 42.5
    assert read.memory_bytes is not None
    assert 10_000_000 < read.memory_bytes < 10_000_000_000
    assert read_reading(page, "page-three").oldest_job_s is None
    assert read_reading("an older worker", "page-one") == WorkerReading()


def test_counters_that_began_anew_count_from_zero() -> None:
    assert counted(3, 4.5).since(counted(10, 15.0)) == counted(3, 4.5)
    assert counted(10, 15.0).since(counted(3, 4.5)) == counted(7, 10.5)


def test_workers_that_come_and_go_are_all_in_the_tally() -> None:
    tally = Tally()
    tally.take(0, {"one": counted(100, 150.0)})
    tally.take(10, {"one": counted(120, 180.0), "two": counted(5, 7.0)})
    tally.take(20, {"two": counted(40, 55.0)})
    seen = tally.over(60, enough=30)
    assert (seen.counters.jobs, seen.since_start) == (60, False)
    assert seen.counters.seconds == pytest.approx(85.0)
    assert seen.seconds == 20


def test_a_quiet_window_is_made_longer_and_at_last_takes_the_workers_whole_lives() -> None:
    tally = Tally()
    tally.take(0, {"one": counted(100, 150.0)})
    tally.take(300, {"one": counted(140, 210.0)})
    tally.take(600, {"one": counted(141, 212.0)})
    assert tally.over(60, enough=30).counters.jobs == 41
    whole = tally.over(60, enough=50)
    assert (whole.counters.jobs, whole.since_start) == (141, True)


def test_what_is_older_than_is_kept_is_forgotten() -> None:
    tally = Tally(keep_s=100)
    for second in range(0, 1000, 10):
        tally.take(second, {"one": counted(second, second * 1.5)})
    assert tally.over(1e9, enough=1).counters.jobs <= 110


def test_nothing_seen_is_nothing_counted() -> None:
    assert Tally().over(60, enough=1).counters == NOTHING_COUNTED
