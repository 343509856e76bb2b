"""A job's time taken apart: attempts, waits, and the jobs that always fail."""

import random

import pytest

from console.planner.attempts import mix_of, simulated_mix, waits_s
from console.planner.worker_metrics import WorkerCounters
from mq_common._histogram import Observations
from mq_common.channels import RetryPolicy
from mq_common.metrics import JOB_BUCKETS

POLICY = RetryPolicy(count=2, initial_ms=500, multiplier=2.0, max_ms=10_000)


def counters(times: list[float], *, rejected: int, transient: int, permanent: int = 0) -> WorkerCounters:
    seen = Observations(JOB_BUCKETS)
    for each in times:
        seen.observe(each)
    upto = seen.cumulative()
    counts = tuple(int(now - then) for now, then in zip(upto, [0.0, *upto], strict=False))
    ends = {"done": len(times) - rejected, "rejected": rejected}
    return WorkerCounters(JOB_BUCKETS, counts, seen.total, ends, {"transient": transient, "permanent": permanent})


def test_waits_follow_the_policy_and_the_jitter() -> None:
    assert waits_s(POLICY, 1) == pytest.approx(0.525)
    assert waits_s(POLICY, 2) == pytest.approx(1.575)
    assert waits_s(POLICY, 5) == waits_s(POLICY, 2)  # there is no wait after the last try


def test_assets_that_always_fail_are_told_from_the_others() -> None:
    failing = 3 * 0.15 + waits_s(POLICY, 2)
    mix = mix_of(counters([0.15] * 900 + [failing] * 100, rejected=100, transient=300), POLICY)
    assert mix.failing_share == pytest.approx(0.1)
    assert mix.good.mean_s == pytest.approx(0.15, rel=0.02)
    assert mix.failing.mean_s == pytest.approx(failing, rel=0.02)
    assert mix.mean_s == pytest.approx(0.9 * 0.15 + 0.1 * failing, rel=1e-6)
    assert mix.failing_at(0.5).mean_s == pytest.approx(0.5 * 0.15 + 0.5 * failing, rel=0.02)


def test_bad_media_gives_up_at_once_and_costs_one_attempt() -> None:
    mix = mix_of(counters([1.0] * 95 + [1.0] * 5, rejected=5, transient=0, permanent=5), POLICY)
    assert mix.failing.mean_s == pytest.approx(1.0, rel=0.01)
    assert mix.mean_s == pytest.approx(1.0, rel=1e-6)


def test_failures_that_a_second_try_repairs_are_part_of_the_good_jobs() -> None:
    repaired = 2.0 + waits_s(POLICY, 1)
    mix = mix_of(counters([1.0] * 80 + [repaired] * 20, rejected=0, transient=20), POLICY)
    assert mix.recovered == pytest.approx(0.2)
    assert mix.failing_share == 0
    assert mix.mean_s == pytest.approx(0.8 + 0.2 * repaired, rel=1e-9)
    assert mix.failing.mean_s == pytest.approx(3.0 + waits_s(POLICY, 2), rel=0.01)  # should the provider go down


def test_when_everything_fails_the_mix_says_so() -> None:
    mix = mix_of(counters([2.0] * 10, rejected=10, transient=30), POLICY)
    assert (mix.failing_share, mix.mean_s) == (1.0, pytest.approx(2.0))


def test_the_mean_is_kept_whatever_was_counted() -> None:
    numbers = random.Random(3)
    for _ in range(200):
        times = [numbers.lognormvariate(0, 1) for _ in range(numbers.randint(1, 60))]
        rejected = numbers.randint(0, len(times))
        counted = counters(
            times, rejected=rejected, transient=numbers.randint(0, 90), permanent=numbers.randint(0, rejected)
        )
        mix = mix_of(counted, POLICY)
        assert mix.mean_s == pytest.approx(sum(times) / len(times), rel=0.02)


def test_the_pretended_provider_is_a_mix_too() -> None:
    mix = simulated_mix(0.15, 0.1, POLICY)
    assert mix.good.mean_s == 0.15
    assert mix.failing.mean_s == pytest.approx(0.45 + 1.575)
