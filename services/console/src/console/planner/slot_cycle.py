"""What a message costs a worker besides its job, from the times when there was always a next one waiting. Pure.

Between the end of a job and the beginning of the next lie an ack, the broker's next delivery and two threads that are
woken. Nobody times this; but while the queue never runs empty, every place of every worker goes round and round, and
places × seconds ÷ messages is what one round takes.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """One look at a channel. ``at`` in seconds; ``arrived`` and ``finished`` are counts that only grow."""

    at: float
    ready: int
    unacked: int
    arrived: int
    finished: int
    consumers: int


@dataclass(frozen=True, slots=True)
class SlotCycle:
    """Seconds from the start of one job to the start of the next at the same place, and the rounds that were seen."""

    seconds: float
    rounds: int


def slot_cycle(moments: Iterable[Moment], concurrency: int, least_s: float) -> SlotCycle | None:
    """Give the time of a round from stretches of at least ``least_s`` seconds in which messages always waited.

    None when there was no such stretch.
    """
    occupied, finished = 0.0, 0
    for stretch in _stretches(moments):
        first, last = stretch[0], stretch[-1]
        if last.at - first.at >= least_s and last.finished > first.finished:
            occupied += first.consumers * concurrency * (last.at - first.at)
            finished += last.finished - first.finished
    return SlotCycle(occupied / finished, finished) if finished else None


def _stretches(moments: Iterable[Moment]) -> Iterable[list[Moment]]:
    """Give runs of looks with as many consumers, and messages waiting at each of them."""
    run: list[Moment] = []
    for moment in moments:
        goes_on = moment.ready > 0 and moment.consumers > 0
        if run and (not goes_on or moment.consumers != run[-1].consumers):
            yield run
            run = []
        if goes_on:
            run.append(moment)
    if run:
        yield run
