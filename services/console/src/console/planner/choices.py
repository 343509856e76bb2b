"""Which settings keep the lag under a limit, and what they cost: a search over targets and maxima."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from console.planner.forecast import FULL, Cancelled, Spread, spread
from console.planner.rehearsal import Course, rehearse
from console.planner.situation import Situation
from console.simulator.readings import Readings

#: Targets that are tried: each about half as large again as the one before.
_TARGETS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000, 10000)
#: Targets tried at most; they lie around the one that fits the lag.
_MOST_TARGETS = 7
#: Messages a run has at most besides those that wait, and seconds it has at most for them.
_MESSAGES, _LONGEST_S = 2000, 900.0
#: How many times the limit on the lag a run has to last at least: a queue that grows slowly gets there late.
_LIMITS = 3.0
#: Costs that differ by less than this share are the same.
_EQUAL = 0.03
#: So many times the best choice's maximum are tried too: less lag for more cost.
_MORE = (1.25, 1.5, 2.0)
#: Seconds between two looks at a run, as a share of the limit on the lag; it decides how soon a bad run is given up.
_LOOK_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Choice:
    """One setting and how it does over ``Choices.horizon_s``. target: None for workers that always run.

    worker_hours: paid for until then, and what it takes to finish what is left then. grows: the queue grows for ever;
    peak_lag_s is what the lag had reached when that was plain.
    """

    target: int | None
    most: int
    peak_lag_s: Spread
    worker_hours: Spread
    most_workers: int
    keeps: bool
    grows: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """What the search found, cheapest first; workers that always run, for comparison, last.

    best: of those that kept the lag under the limit in every run a cheap one; None when none did. as_is: the setting
    that was asked about. complete: False when time ran out before everything was tried.
    """

    lag_s: float
    horizon_s: float
    best: Choice | None
    front: tuple[Choice, ...]
    as_is: Choice
    tried: int
    limit: int
    complete: bool


class OutOfTime(Exception):
    """The search has used up its time."""


class Search:
    """Looks for the cheapest settings that keep the oldest waiting message younger than ``lag_s`` seconds."""

    def __init__(
        self,
        situation: Situation,
        lag_s: float,
        *,
        seeds: int,
        most: int | None = None,
        target: int | None = None,
        budget_s: float = 6.0,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """most, target: nothing above this many workers, and no other target, is tried. budget_s: of real time."""
        self._situation, self._lag_s, self._seeds = situation, lag_s, seeds
        self._fewest_needed = workers_needed(situation, lag_s)
        self._limit = most or max(2 * situation.rule.most, 2 * self._fewest_needed, 12)
        self._targets = (target,) if target else targets_worth_trying(situation, lag_s, self._fewest_needed)
        self._horizon_s = compared_over(situation, lag_s, self._fewest_needed)
        self._until = time.monotonic() + budget_s
        self._is_cancelled = is_cancelled
        self._courses: dict[tuple[int, int, int], Course] = {}
        self._guess = self._fewest_needed
        self._found: list[Choice] = []
        #: How things are is told whatever time it takes; the rest only within the budget.
        self._is_bounded = False

    def run(self) -> Choices:
        """Search. Raises Cancelled."""
        rule = self._situation.rule
        as_is = self._judged(self._situation)
        self._is_bounded, complete = True, True
        if not (as_is.keeps and as_is.most_workers <= max(1, rule.fewest)):  # else nothing could cost less
            try:
                self._try_all(as_is)
            except OutOfTime:
                complete = False
        best = recommended(self._found, as_is)
        return Choices(
            lag_s=self._lag_s,
            horizon_s=self._horizon_s,
            best=best,
            front=worth_showing([each for each in self._found if each.keeps] or self._found, best),
            as_is=as_is,
            tried=len(self._courses),
            limit=self._limit,
            complete=complete,
        )

    def _try_all(self, as_is: Choice) -> None:
        """For every target the smallest maximum that keeps the lag; the fewest workers that always run; and more."""
        for target in self._targets:
            self._for_target(target)
        standing = self._smallest(lambda count: always(self._situation, count))
        if standing is not None:
            self._found.append(self._judged(always(self._situation, standing)))
        best = recommended(self._found, as_is)
        if best is not None and best is not as_is and best.target is not None:
            for count in sorted({min(self._limit, math.ceil(best.most * times)) for times in _MORE} - {best.most}):
                self._found.append(self._judged(self._situation.choosing(best.target, count)))

    def _for_target(self, target: int) -> None:
        most = self._smallest(lambda count: self._situation.choosing(target, count))
        if most is None:
            return
        self._guess = most
        choice = self._judged(self._situation.choosing(target, most))
        while not choice.keeps and most < self._limit:  # the first run was a lucky one
            most = min(self._limit, most + max(1, most // 8))
            choice = self._judged(self._situation.choosing(target, most))
        self._found.append(choice)

    def _smallest(self, setting: Callable[[int], Situation]) -> int | None:
        """Give the smallest maximum under which a first run keeps the lag; None when not even the limit does.

        Looked for around the last one that was found, since neighbours are alike.
        """
        low, high = self._fewest_needed, min(self._guess, self._limit)
        if low > self._limit:
            return None
        if self._keeps(setting(high)):
            step = 1
            while high > low and self._keeps(setting(max(low, high - step))):
                high, step = max(low, high - step), step * 2
            low = max(low, high - step + 1) if high > low else low
        else:
            while not self._keeps(setting(high)):
                if high >= self._limit:
                    return None
                low, high = high + 1, min(self._limit, max(high + 1, high * 3 // 2))
        while low < high:
            middle = (low + high) // 2
            if self._keeps(setting(middle)):
                high = middle
            else:
                low = middle + 1
        return high

    def _keeps(self, situation: Situation) -> bool:
        return self._run(situation, 1, give_up=True).peak_lag_s <= self._lag_s

    def _is_hopeless(self, situation: Situation) -> bool:
        return situation.arrival.value >= FULL * situation.capacity(situation.most)

    def _judged(self, situation: Situation) -> Choice:
        """Run it with every seed; where it can't keep up, once, until that is plain."""
        hopeless = self._is_hopeless(situation)
        seeds = range(1, 2 if hopeless else self._seeds + 1)
        courses = [self._run(situation, seed, give_up=hopeless) for seed in seeds]
        lag = spread([course.peak_lag_s for course in courses])
        one_message_s = situation.round_s / situation.concurrency
        return Choice(
            target=situation.rule.target if situation.rule.follows else None,
            most=situation.most,
            peak_lag_s=lag,
            worker_hours=spread([(course.worker_s + course.left * one_message_s) / 3600 for course in courses]),
            most_workers=max(course.most_workers for course in courses),
            keeps=lag.high <= self._lag_s and not hopeless,
            grows=hopeless,
        )

    def _run(self, situation: Situation, seed: int, *, give_up: bool = False) -> Course:
        """Give one run; with ``give_up`` it may end as soon as the lag is above the limit."""
        key = (situation.rule.target if situation.rule.follows else 0, situation.most, seed)
        known = self._courses.get(key)
        if known is not None and (give_up or known.end_s >= self._horizon_s):
            return known

        def stop(look: Readings) -> bool:
            if self._is_cancelled():
                raise Cancelled
            if self._is_bounded and time.monotonic() > self._until:
                raise OutOfTime
            return give_up and look.longest_lag_s > self._lag_s

        step_s = max(self._lag_s * _LOOK_SHARE, self._horizon_s / 200)
        course = rehearse(situation, seed, self._horizon_s, step_s=step_s, stop=stop)
        self._courses[key] = course
        return course


def always(situation: Situation, count: int) -> Situation:
    """Give the situation with so many workers that always run."""
    return replace(situation, rule=replace(situation.rule, follows=False), workers=count)


def workers_needed(situation: Situation, lag_s: float) -> int:
    """Give the fewest workers that can do it at all: they keep up, and begin all the work within the limit."""
    keep_up = situation.arrival.value / FULL
    begin = max(0.0, situation.work / (lag_s + situation.burst_over_s) if situation.work else 0.0)
    one = situation.capacity(1)
    by_rate = math.ceil(max(keep_up, begin * _of_first_round(situation, lag_s)) / one) if one > 0 else 1
    return max(1, situation.rule.fewest if not situation.rule.follows else 1, by_rate)


def _of_first_round(situation: Situation, lag_s: float) -> float:
    """Give the share of the work that has to be finished for the rest to have begun: each place holds one more."""
    return lag_s / (lag_s + situation.round_s)


def targets_worth_trying(situation: Situation, lag_s: float, needed: int) -> tuple[int, ...]:
    """Give the targets worth trying: around the one at which the needed workers just keep the lag."""
    fits = max(1.0, (situation.arrival.value * (lag_s + situation.round_s) + situation.work) / needed)
    nearest = min(range(len(_TARGETS)), key=lambda index: abs(math.log(_TARGETS[index] / fits)))
    start = max(0, min(nearest - _MOST_TARGETS + 3, len(_TARGETS) - _MOST_TARGETS))
    return tuple(sorted({*_TARGETS[start : start + _MOST_TARGETS], situation.rule.target}))


def compared_over(situation: Situation, lag_s: float, needed: int) -> float:
    """Give the seconds over which costs are compared: the same for every choice."""
    arrival = situation.arrival.value
    shown_s = 0.0 if situation.work or arrival <= 0 else min(_LONGEST_S, _MESSAGES / arrival)
    steady_s = max(_LIMITS * lag_s, shown_s) if arrival > 0 else 0.0
    spare = situation.capacity(needed) - arrival
    drain_s = situation.work / spare if spare > 0 else _LONGEST_S
    settle_s = situation.rule.cooldown_s + situation.starts.mean_s + situation.rule.poll_s
    return max(60.0, steady_s, min(4 * _LONGEST_S, situation.burst_over_s + drain_s + settle_s))


def recommended(choices: list[Choice], as_is: Choice) -> Choice | None:
    """Give a setting that keeps the lag and costs about as little as any: things as they are, else the least lag.

    Workers that always run are recommended only where no rule that follows the queue keeps the lag.
    """
    keeping = [each for each in (as_is, *choices) if each.keeps]
    following = [each for each in keeping if each.target is not None] or keeping
    if not following:
        return None
    least = min(each.worker_hours.median for each in following) * (1 + _EQUAL)
    cheap = [each for each in following if each.worker_hours.median <= least]
    return as_is if as_is in cheap else min(cheap, key=lambda each: each.peak_lag_s.median)


def worth_showing(choices: list[Choice], best: Choice | None) -> tuple[Choice, ...]:
    """Give those that follow the queue and are there for a reason, the best among them, and last the ones that don't.

    Workers that always run are for comparison: they cost as much when nothing waits.
    """
    following = front([each for each in choices if each.target is not None])
    if best is not None and best.target is not None and best in choices and best not in following:
        following = tuple(sorted((*following, best), key=lambda each: each.worker_hours.median))
    return (*following, *(each for each in choices if each.target is None))


def front(choices: list[Choice]) -> tuple[Choice, ...]:
    """Give those than which no other has both less lag and less cost, cheapest first."""
    front: list[Choice] = []
    for choice in sorted(choices, key=lambda each: (each.worker_hours.median, each.peak_lag_s.median)):
        if not front or choice.peak_lag_s.median < front[-1].peak_lag_s.median:
            front.append(choice)
    return tuple(front)
