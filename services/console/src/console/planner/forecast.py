"""What will happen: several runs of one situation, their middle and their spread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from console.planner.rehearsal import Course, Point, rehearse
from console.planner.situation import Situation

#: Looks at each run, which is as finely as its moments are told apart.
LOOKS = 400
#: Points of a series on the page.
SHOWN = 100
#: The shortest and the longest time that is looked ahead unasked, in seconds.
SHORTEST_S, LONGEST_S = 60.0, 24 * 3600.0
#: An overloaded channel is shown for so long, and no longer than it takes to see it: it only gets worse. Seconds.
OVERLOADED_S, SHORTEST_OVERLOADED_S = 900.0, 20.0
#: Messages that show how a channel without a backlog does.
STEADY_MESSAGES = 2000
#: Share of the capacity above which a queue has no rest: it is nearly always long.
FULL = 0.97


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle of several runs, and the lowest and highest of them."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """How a situation goes on.

    drained_s: None where it does not drain within ``horizon_s``, or there is nothing to drain. growth: messages by
    which the queue grows each second although all workers work, 0 where they keep up. worker_hours: within
    ``horizon_s``. points: the run in the middle; ready_high, lag_high_s: the most of any run at the same moments.
    """

    horizon_s: float
    drained_s: Spread | None
    peak_depth: Spread
    peak_lag_s: Spread
    most_workers: Spread
    worker_hours: Spread
    dead: Spread
    growth: float
    points: tuple[Point, ...]
    ready_high: tuple[int, ...]
    lag_high_s: tuple[float, ...]


def forecast(
    situation: Situation, *, seeds: int, horizon_s: float | None, is_cancelled: Callable[[], bool] = lambda: False
) -> Forecast:
    """Simulate the situation ``seeds`` times. Raises Cancelled."""
    horizon = horizon_s or horizon_of(situation)
    courses = []
    for seed in range(1, seeds + 1):
        if is_cancelled():
            raise Cancelled
        courses.append(rehearse(situation, seed, horizon, step_s=horizon / LOOKS))
    return _summary(situation, courses, horizon)


def horizon_of(situation: Situation) -> float:
    """Give the seconds after which it is clear how it ends: drained, and the workers that came gone again."""
    rule = situation.rule
    capacity = situation.capacity(situation.most)
    arrival = situation.arrival.value
    if capacity <= 0 or arrival >= FULL * capacity:
        return min(OVERLOADED_S, max(SHORTEST_OVERLOADED_S, STEADY_MESSAGES / arrival)) if arrival else OVERLOADED_S
    before = situation.starts.mean_s + rule.poll_s + rule.figures_age_s if rule.follows else 0.0
    drain_s = (situation.work + arrival * before) / (capacity - arrival) + before + situation.burst_over_s
    settle_s = rule.cooldown_s + 2 * rule.poll_s if rule.follows and rule.most > rule.fewest else 0.0
    longest_job_s = max(situation.jobs.good.points[-1], situation.jobs.failing.points[-1])
    steady_s = min(OVERLOADED_S, STEADY_MESSAGES / arrival) if arrival > 0 and not situation.work else 0.0
    return min(LONGEST_S, max(SHORTEST_S, steady_s, 1.3 * drain_s + settle_s + 2 * longest_job_s))


def spread(values: Sequence[float]) -> Spread:
    """Give median, lowest and highest."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return Spread(median, ordered[0], ordered[-1])


def _summary(situation: Situation, courses: Sequence[Course], horizon_s: float) -> Forecast:
    drained = [course.drained_s for course in courses if course.drained_s is not None]
    all_drain = len(drained) == len(courses)
    by_lag = sorted(courses, key=lambda course: course.peak_lag_s)
    middle = by_lag[len(by_lag) // 2]
    every = max(1, len(middle.points) // SHOWN)
    shown = range(0, len(middle.points), every)
    growth = situation.arrival.value - situation.capacity(situation.most)
    return Forecast(
        horizon_s=horizon_s,
        drained_s=spread(drained) if all_drain else None,
        peak_depth=spread([course.peak_depth for course in courses]),
        peak_lag_s=spread([course.peak_lag_s for course in courses]),
        most_workers=spread([course.most_workers for course in courses]),
        worker_hours=spread([course.worker_s / 3600 for course in courses]),
        dead=spread([course.dead for course in courses]),
        growth=max(0.0, growth),
        points=tuple(replace(middle.points[index], at=round(middle.points[index].at, 2)) for index in shown),
        ready_high=tuple(max(course.points[index].ready for course in courses) for index in shown),
        lag_high_s=tuple(max(course.points[index].lag_s for course in courses) for index in shown),
    )
