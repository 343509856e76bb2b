"""What a job's time is made of: attempts, the waits between them, and the jobs that fail however often. Pure."""

from dataclasses import dataclass

from console.planner.job_times import JobTimes, constant, from_histogram, without
from console.planner.worker_metrics import WorkerCounters
from mq_common.channels import RetryPolicy
from mq_common.retry import JITTER, wait_s


@dataclass(frozen=True, slots=True)
class JobMix:
    """Jobs that succeed, jobs that end as dead letters, and the share (0–1) of the latter.

    Times are those a job keeps a place of its worker occupied: all its attempts, and the waits between them.
    """

    good: JobTimes
    failing: JobTimes
    failing_share: float = 0.0
    #: Attempts that failed although a later one of the same job succeeded, for each job that succeeded.
    recovered: float = 0.0

    @property
    def mean_s(self) -> float:
        """Mean time of a job in seconds."""
        return self.good.mean_s * (1 - self.failing_share) + self.failing.mean_s * self.failing_share

    @property
    def slow_s(self) -> float:
        """The time in seconds that one of twenty jobs exceeds."""
        return self.good.quantile(0.95)

    def scaled_to(self, mean_s: float) -> "JobMix":
        """Give the same mix with all its times stretched so that their mean comes out as ``mean_s`` seconds."""
        if self.mean_s <= 0:
            return JobMix(constant(mean_s), constant(mean_s), self.failing_share, self.recovered)
        by = mean_s / self.mean_s
        good, failing = self.good.scaled_to(self.good.mean_s * by), self.failing.scaled_to(self.failing.mean_s * by)
        return JobMix(good, failing, self.failing_share, self.recovered)

    def failing_at(self, share: float) -> "JobMix":
        """Give the same jobs with another share (0–1) of failing ones."""
        return JobMix(self.good, self.failing, share, self.recovered)


def waits_s(policy: RetryPolicy, failures: int) -> float:
    """Give the seconds a job waits, on average, after this many failed attempts, the last of which may end it."""
    return sum(wait_s(policy, number) for number in range(1, min(failures, policy.count) + 1)) * (1 + JITTER / 2)


def mix_of(counted: WorkerCounters, policy: RetryPolicy) -> JobMix:
    """Take the counted jobs apart. Raises ValueError when none was counted.

    Which job failed how often is not counted; how many gave up and how many attempts failed is. A job that gives up
    on something transient failed count + 1 times; what else failed was repaired by a further attempt.
    """
    times = from_histogram(counted.bounds, counted.counts, counted.seconds)
    jobs = counted.jobs
    rejected = min(jobs, counted.ends.get("rejected", 0))
    permanent = min(rejected, counted.failed_attempts.get("permanent", 0))
    spent = rejected - permanent
    transient = counted.failed_attempts.get("transient", 0)
    recovered = max(0, transient - spent * (policy.count + 1))
    attempts = max(1, jobs - rejected + permanent + spent * (policy.count + 1) + recovered)
    waiting = spent * waits_s(policy, policy.count) + recovered * waits_s(policy, 1)
    attempt_s = max(0.0, counted.seconds - waiting) / attempts
    exhausted_s = attempt_s * (policy.count + 1) + waits_s(policy, policy.count)
    if not rejected:
        return JobMix(times, constant(exhausted_s), 0.0, recovered / jobs)
    failing_s = (permanent * attempt_s + spent * exhausted_s) / rejected
    share = rejected / jobs
    if share >= 1:
        return JobMix(constant(attempt_s), times, 1.0, 0.0)
    failing_s = min(failing_s, counted.seconds / rejected)
    mix = JobMix(without(times, share, failing_s), constant(failing_s), share, recovered / (jobs - rejected))
    return mix.scaled_to(times.mean_s)  # a job cut in two by the window's edge must not bend the mean


def simulated_mix(latency_s: float, failing_share: float, policy: RetryPolicy) -> JobMix:
    """Give the jobs of the channel's pretended provider, as the channels file describes it."""
    exhausted_s = latency_s * (policy.count + 1) + waits_s(policy, policy.count)
    return JobMix(constant(latency_s), constant(exhausted_s), failing_share)
