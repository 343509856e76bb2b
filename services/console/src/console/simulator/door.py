"""Back-pressure at the queue's door, as the fleet's ingest does it at its own."""

from typing import Literal

from console.simulator.model import Queue

Answer = Literal["admitted", "refused", "dropped"]


def room_share(depth: int, capacity: int, high_water: float) -> float:
    """Give the share of messages that may come in, 1 to 0.

    All of them up to the high-water mark (a fraction of the capacity), none at the capacity, and in between in
    proportion to the room that is left.
    """
    mark = high_water * capacity
    if depth <= mark:
        return 1.0
    return max(0.0, (capacity - depth) / (capacity - mark))


def places(queue: Queue) -> int | None:
    """Give how many messages may wait.

    With back-pressure one less than the capacity: the queue is never full, so that nothing is ever dropped.
    """
    if queue.capacity is None:
        return None
    return queue.capacity - 1 if queue.back_pressure else queue.capacity


class Door:
    """Decides message by message, spread evenly: at a share of 0.3, three of any ten come in, give or take one."""

    def __init__(self) -> None:
        self._due = 0.0

    def share(self, queue: Queue, depth: int) -> float:
        """Give the share of messages that may come in now."""
        if queue.capacity is None or queue.back_pressure is None:
            return 1.0
        return room_share(depth, queue.capacity, queue.back_pressure.high_water)

    def refuses(self, share: float) -> bool:
        """Tell whether the next message is one of those to refuse."""
        if share >= 1:
            return False
        self._due += 1 - share
        # a hair below one, since tenths don't add up to it
        if self._due < 1 - 1e-9:
            return False
        self._due -= 1
        return True
