"""Which settings keep the lag under a limit, and what they cost: a search over targets and maxima."""

import math
import time
from collections.abc import Callable, Iterator
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

    worker_hours: paid for until then, and what it takes to finish what is left then.
    """

    target: int | None
    most: int
    peak_lag_s: Spread
    worker_hours: Spread
    most_workers: int
    keeps: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """What the search found, cheapest first.

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
        self._fewest_needed = _workers_needed(situation, lag_s)
        self._limit = most or max(2 * situation.rule.most, 2 * self._fewest_needed, 12)
        self._targets = (target,) if target else _targets(situation, lag_s, self._fewest_needed)
        self._horizon_s = max(_LIMITS * lag_s * (situation.arrival.value > 0), _horizon(situation, self._fewest_needed))
        self._until = time.monotonic() + budget_s
        self._is_cancelled = is_cancelled
        self._tried = 0

    def run(self) -> Choices:
        """Search. Raises Cancelled."""
        rule = self._situation.rule
        as_is = self._judged(self._situation, rule.target if rule.follows else None)
        found = list(self._found())
        best = _recommended(found, as_is)
        if best is not None and best.target is not None:
            found += self._with_more(best.target, best.most)
        return Choices(
            lag_s=self._lag_s,
            horizon_s=self._horizon_s,
            best=best,
            front=_front([each for each in found if each.keeps] or found),
            as_is=as_is,
            tried=self._tried,
            limit=self._limit,
            complete=not self._is_late,
        )

    @property
    def _is_late(self) -> bool:
        return time.monotonic() > self._until

    def _found(self) -> Iterator[Choice]:
        """Give, for every target, the smallest maximum that keeps the lag; and the fewest workers that always run."""
        standing = self._smallest(lambda count: _always(self._situation, count))
        if standing is not None:
            yield self._judged(_always(self._situation, standing), None)
        for target in self._targets:
            if self._is_late:
                return
            if (choice := self._for_target(target)) is not None:
                yield choice

    def _for_target(self, target: int) -> Choice | None:
        most = self._smallest(lambda count: self._situation.choosing(target, count))
        if most is None:
            return None
        choice = self._judged(self._situation.choosing(target, most), target)
        while not choice.keeps and most < self._limit and not self._is_late:  # the first run was a lucky one
            most = min(self._limit, most + max(1, most // 8))
            choice = self._judged(self._situation.choosing(target, most), target)
        return choice

    def _with_more(self, target: int, most: int) -> Iterator[Choice]:
        """Give what more workers at the best target would bring."""
        for count in sorted({min(self._limit, math.ceil(most * times)) for times in _MORE} - {most}):
            if self._is_late:
                return
            yield self._judged(self._situation.choosing(target, count), target)

    def _smallest(self, setting: Callable[[int], Situation]) -> int | None:
        """Give the smallest maximum under which a first run keeps the lag; None when not even the limit does."""
        low, high = self._fewest_needed, self._fewest_needed
        if low > self._limit:
            return None
        while not self._keeps(setting(high)):
            if high >= self._limit or self._is_late:
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
        return self._run(situation, 1, self._too_old).peak_lag_s <= self._lag_s

    def _judged(self, situation: Situation, target: int | None) -> Choice:
        """Run it with every seed."""
        courses = [self._run(situation, seed) for seed in range(1, self._seeds + 1)]
        lag = spread([course.peak_lag_s for course in courses])
        one_message_s = situation.round_s / situation.concurrency
        keeps_up = situation.arrival.value < FULL * situation.capacity(situation.most)
        return Choice(
            target=target,
            most=situation.most,
            peak_lag_s=lag,
            worker_hours=spread([(course.worker_s + course.left * one_message_s) / 3600 for course in courses]),
            most_workers=max(course.most_workers for course in courses),
            keeps=keeps_up and lag.high <= self._lag_s,
        )

    def _run(self, situation: Situation, seed: int, stop: Callable[[Readings], bool] | None = None) -> Course:
        if self._is_cancelled():
            raise Cancelled
        self._tried += 1
        step_s = max(self._lag_s * _LOOK_SHARE, self._horizon_s / 200)
        return rehearse(situation, seed, self._horizon_s, step_s=step_s, stop=stop or (lambda _: False))

    def _too_old(self, look: Readings) -> bool:
        return look.longest_lag_s > self._lag_s


def _always(situation: Situation, count: int) -> Situation:
    """Give the situation with so many workers that always run."""
    return replace(situation, rule=replace(situation.rule, follows=False), workers=count)


def _workers_needed(situation: Situation, lag_s: float) -> int:
    """Give the fewest workers that can do it at all: they keep up, and begin all the work within the limit."""
    keep_up = situation.arrival.value / FULL
    begin = max(0.0, situation.work / (lag_s + situation.burst_over_s) if situation.work else 0.0)
    one = situation.capacity(1)
    by_rate = math.ceil(max(keep_up, begin * _of_first_round(situation, lag_s)) / one) if one > 0 else 1
    return max(1, situation.rule.fewest if not situation.rule.follows else 1, by_rate)


def _of_first_round(situation: Situation, lag_s: float) -> float:
    """Give the share of the work that has to be finished for the rest to have begun: each place holds one more."""
    return lag_s / (lag_s + situation.round_s)


def _targets(situation: Situation, lag_s: float, needed: int) -> tuple[int, ...]:
    """Give the targets worth trying: around the one at which the needed workers just keep the lag."""
    fits = max(1.0, (situation.arrival.value * (lag_s + situation.round_s) + situation.work) / needed)
    nearest = min(range(len(_TARGETS)), key=lambda index: abs(math.log(_TARGETS[index] / fits)))
    start = max(0, min(nearest - _MOST_TARGETS + 3, len(_TARGETS) - _MOST_TARGETS))
    return tuple(sorted({*_TARGETS[start : start + _MOST_TARGETS], situation.rule.target}))


def _horizon(situation: Situation, needed: int) -> float:
    """Give the seconds over which costs are compared: the same for every choice."""
    arrival = situation.arrival.value
    steady_s = min(_LONGEST_S, _MESSAGES / arrival) if arrival > 0 else 0.0
    spare = situation.capacity(needed) - arrival
    drain_s = situation.work / spare if spare > 0 else _LONGEST_S
    settle_s = situation.rule.cooldown_s + situation.starts.mean_s + situation.rule.poll_s
    return max(60.0, steady_s, min(4 * _LONGEST_S, situation.burst_over_s + drain_s + settle_s))


def _recommended(choices: list[Choice], as_is: Choice) -> Choice | None:
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


def _front(choices: list[Choice]) -> tuple[Choice, ...]:
    """Give those than which no other has both less lag and less cost, cheapest first."""
    front: list[Choice] = []
    for choice in sorted(choices, key=lambda each: (each.worker_hours.median, each.peak_lag_s.median)):
        if not front or choice.peak_lag_s.median < front[-1].peak_lag_s.median:
            front.append(choice)
    return tuple(front)
