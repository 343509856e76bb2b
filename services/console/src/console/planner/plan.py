"""The whole answer: what was assumed, what will happen, and what would be better."""

from collections.abc import Callable
from dataclasses import dataclass

from console.planner.choices import Choices, Search
from console.planner.figures import Figure
from console.planner.forecast import Forecast, forecast
from console.planner.measured import Measured
from console.planner.question import Question
from console.planner.scaling_rule import ScalingRule
from console.planner.situation import Situation, situation

#: Simulations of each choice that is compared; the forecast has the question's own number.
SEEDS_OF_A_CHOICE = 3


@dataclass(frozen=True, slots=True)
class Basis:
    """What the answer stands on, figure by figure. ``capacity``: messages per second that all workers finish."""

    channel: str
    arrival: Figure
    job: Figure
    job_variation: float
    failing: Figure
    overhead: Figure
    start: Figure
    backlog: int
    burst: int
    burst_over_s: float
    workers: int
    concurrency: int
    capacity: float
    rule: ScalingRule
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """An answer. ``choices`` is None where nobody asked for better settings."""

    basis: Basis
    forecast: Forecast
    choices: Choices | None


def plan(
    measured: Measured,
    question: Question,
    *,
    budget_s: float = 6.0,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Plan:
    """Answer a question about a channel. ``budget_s``: seconds of real time for the search. Raises Cancelled."""
    now = situation(measured, question)
    ahead = forecast(now, seeds=question.seeds, horizon_s=question.horizon_s, is_cancelled=is_cancelled)
    choices = None
    if question.recommend:
        search = Search(
            now,
            question.lag_s,
            seeds=min(SEEDS_OF_A_CHOICE, question.seeds),
            most=question.most,
            target=question.target,
            budget_s=budget_s,
            is_cancelled=is_cancelled,
        )
        choices = search.run()
    return Plan(_basis(measured, now), ahead, choices)


def _basis(measured: Measured, now: Situation) -> Basis:
    remarks = [*measured.remarks]
    if now.arrival.source == "assumed":
        remarks.append("no_arrivals_seen")
    return Basis(
        channel=now.channel,
        arrival=now.arrival,
        job=now.job,
        job_variation=now.jobs.good.variation,
        failing=now.failing,
        overhead=now.overhead,
        start=now.start,
        backlog=now.backlog,
        burst=now.burst,
        burst_over_s=now.burst_over_s,
        workers=now.workers,
        concurrency=now.concurrency,
        capacity=now.capacity(now.most),
        rule=now.rule,
        remarks=tuple(remarks),
    )
