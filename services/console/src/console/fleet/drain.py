"""How long until a backlog is gone, at the rate of now. Pure."""

import math

from console.fleet.counters import SHOWN_S, Counter

#: Seconds that are looked back at most: jobs last from milliseconds to minutes.
LONGEST_S = 300.0
#: Messages that make a rate.
ENOUGH = 6
#: Seconds that must have been watched before there is a rate.
SHORTEST_S = 4.0


def drain_s(backlog: int, arrived: Counter, left: Counter) -> float | None:
    """Give the seconds until ``backlog`` messages have gone; infinite while it grows, None while nothing is known yet.

    ``arrived`` and ``left`` count what came into the queue and what left it for good.
    """
    if backlog <= 0:
        return 0.0
    if left.grown(LONGEST_S)[1] < SHORTEST_S:
        return None
    net = present_rate(left) - present_rate(arrived)
    return backlog / net if net > 1e-9 else math.inf


def present_rate(counter: Counter) -> float:
    """Give the rate of now: over the time in which the usual rate would bring some messages, and not longer.

    So a burst that is over does not count as a flow, and a job that takes a minute is not taken for a standstill.
    """
    usual = counter.rate(LONGEST_S)
    return counter.rate(min(LONGEST_S, max(SHOWN_S, ENOUGH / usual))) if usual > 0 else 0.0
