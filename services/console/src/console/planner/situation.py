"""A question and what was measured, put together: what is simulated. Pure."""

from dataclasses import dataclass, replace

from console.planner.attempts import JobMix
from console.planner.figures import Figure, given
from console.planner.job_times import JobTimes, constant
from console.planner.measured import Measured
from console.planner.question import Question
from console.planner.scaling_rule import ScalingRule


@dataclass(frozen=True, slots=True)
class Situation:
    """One channel from now on.

    arrival: messages per second. burst: that many more within the first ``burst_over_s`` seconds. backlog: messages
    that wait already, the oldest for ``backlog_age_s`` seconds. jobs: how long places are occupied. overhead_s: how
    long they stand empty after each job.
    """

    channel: str
    arrival: Figure
    burst: int
    burst_over_s: float
    backlog: int
    backlog_age_s: float
    jobs: JobMix
    job: Figure
    failing: Figure
    overhead: Figure
    starts: JobTimes
    start: Figure
    workers: int
    concurrency: int
    prefetch: int
    rule: ScalingRule

    @property
    def round_s(self) -> float:
        """Seconds from one job's start to the next one's at the same place."""
        return self.jobs.mean_s + self.overhead.value

    def capacity(self, workers: int) -> float:
        """Give the messages per second that so many workers can finish."""
        return workers * self.concurrency / self.round_s if self.round_s > 0 else float("inf")

    @property
    def most(self) -> int:
        """The most workers there can be."""
        return self.rule.most if self.rule.follows else self.workers

    @property
    def work(self) -> int:
        """Messages to deal with besides those that keep arriving."""
        return self.backlog + self.burst

    def choosing(self, target: int, most: int) -> "Situation":
        """Give the same situation under another target and maximum."""
        rule = self.rule.with_choice(target, most)
        return replace(self, rule=rule, workers=min(max(self.workers, rule.fewest), most))


def situation(measured: Measured, question: Question) -> Situation:
    """Put a question and the measured figures together; what the question says counts."""
    jobs, job, failing = measured.jobs, measured.job, measured.failing
    if question.failing is not None:
        jobs, failing = jobs.failing_at(question.failing), given(question.failing)
        job = replace(job, value=jobs.mean_s)
    if question.job_s is not None:
        jobs, job = jobs.scaled_to(question.job_s), given(question.job_s)
    starts = measured.starts if question.start_s is None else constant(question.start_s)
    rule = _rule(measured.rule, question)
    workers = measured.workers if question.workers is None else question.workers
    if rule.follows:
        workers = min(max(workers, rule.fewest), rule.most)
    backlog = measured.ready + measured.unacked if question.backlog is None else question.backlog
    return Situation(
        channel=measured.channel,
        arrival=_arrival(measured.arrival, question),
        burst=question.burst,
        burst_over_s=question.burst_over_s,
        backlog=backlog,
        backlog_age_s=measured.oldest_s if question.backlog is None and measured.ready else 0.0,
        jobs=jobs,
        job=job,
        failing=failing,
        overhead=measured.overhead,
        starts=starts,
        start=measured.start if question.start_s is None else given(question.start_s),
        workers=workers,
        concurrency=measured.concurrency,
        prefetch=measured.prefetch,
        rule=rule,
    )


def _arrival(arrival: Figure, question: Question) -> Figure:
    if question.arrival_per_s is not None:
        arrival = given(question.arrival_per_s)
    return replace(arrival, value=arrival.value * question.arrival_times)


def _rule(rule: ScalingRule, question: Question) -> ScalingRule:
    most = max(1, rule.most if question.most is None else question.most)
    return replace(
        rule,
        target=rule.target if question.target is None else question.target,
        fewest=min(most, rule.fewest if question.fewest is None else question.fewest),
        most=most,
        follows=rule.follows if question.follows is None else question.follows,
    )
