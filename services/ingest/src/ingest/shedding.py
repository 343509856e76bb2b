"""How much to shed, and when to come again: pure rules, in messages and seconds."""

import math

#: Bounds of Retry-After. Where no message was seen to leave the queue, the longer one is given.
RETRY_AT_LEAST_S = 1
RETRY_AT_MOST_S = 60


def shed_fraction(depth: float, capacity: int, high_water: float) -> float:
    """Give the share of uploads to refuse, 0 to 1.

    Nothing up to the high-water mark (a fraction of the capacity), everything at the capacity, and in between in
    proportion to how much of the room between the two is taken.
    """
    mark = high_water * capacity
    if depth >= capacity:
        return 1.0
    if depth <= mark:
        return 0.0
    return (depth - mark) / (capacity - mark)


def room_left(depth: float, capacity: int) -> int:
    """Give how many more messages the deepest queue may take."""
    return max(0, math.floor(capacity - depth))


def retry_after_s(surplus: float, drain_per_s: float) -> int:
    """Give the whole seconds in which ``surplus`` messages leave a queue that drains at this rate, within bounds."""
    if surplus <= 0:
        return RETRY_AT_LEAST_S
    if drain_per_s * RETRY_AT_MOST_S <= surplus:
        return RETRY_AT_MOST_S
    return max(RETRY_AT_LEAST_S, math.ceil(surplus / drain_per_s))


class Spread:
    """Spreads refusals evenly: of any run of requests at a fraction f, f of them are refused, give or take one.

    Chance would do so in the mean only, and refuse a client three times in a row for no reason. Not thread-safe.
    """

    def __init__(self) -> None:
        self._due = 0.0

    def refuses(self, fraction: float) -> bool:
        """Tell whether the next request is one of those to refuse."""
        if fraction <= 0:
            return False
        if fraction >= 1:
            return True
        self._due += fraction
        # a hair below one, since tenths don't add up to it
        if self._due < 1 - 1e-9:
            return False
        self._due -= 1
        return True
