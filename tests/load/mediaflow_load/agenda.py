"""What is to be sent next: uploads of the profile, and those that were asked to come again. Pure."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from mediaflow_load.profile import Profile


@dataclass(order=True, slots=True)
class Upload:
    """One upload. `due_s`: seconds from the start. `tries`: how often it was sent so far."""

    due_s: float
    number: int
    tries: int = 0


class Agenda:
    """Uploads in the order in which they are due. Not thread-safe."""

    def __init__(self, profile: Profile) -> None:
        self._again: list[Upload] = []
        self._plan: Iterator[Upload] = (Upload(profile.due(number), number) for number in range(profile.requests))
        self._next = next(self._plan, None)

    @property
    def next_due_s(self) -> float | None:
        """When the next one is due, in seconds from the start; None: nothing is left for now."""
        due = [each.due_s for each in (self._next, *self._again[:1]) if each is not None]
        return min(due, default=None)

    @property
    def waiting(self) -> int:
        """Uploads that come again."""
        return len(self._again)

    @property
    def all_sent(self) -> bool:
        """Whether every upload of the profile was taken at least once."""
        return self._next is None

    def take(self) -> Upload:
        """Give the next one. Raises IndexError when there is none."""
        if self._next is not None and (not self._again or self._next <= self._again[0]):
            taken, self._next = self._next, next(self._plan, None)
            return taken
        return heapq.heappop(self._again)

    def again(self, upload: Upload, due_s: float) -> None:
        """Plan an upload once more."""
        heapq.heappush(self._again, Upload(due_s, upload.number, upload.tries))
