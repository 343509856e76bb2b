"""Which deliveries may be acknowledged together: one ack frame a message costs five times the throughput."""

from collections import deque
from typing import NamedTuple


class Ack(NamedTuple):
    """One ack frame: this tag alone, or (``multiple``) all outstanding ones up to it."""

    tag: int
    multiple: bool


class AckWindow:
    """Outstanding deliveries of one channel, in the broker's order.

    ``take`` gives the fewest frames that acknowledge everything done and nothing else: one ``multiple`` frame as far
    as every lower tag is done, and one frame each for what is done above the first gap.
    """

    def __init__(self) -> None:
        self._outstanding: deque[int] = deque()
        self._done: set[int] = set()
        self._settled: set[int] = set()

    def __len__(self) -> int:
        """Count the deliveries that the broker still waits for."""
        return len(self._outstanding) - len(self._settled)

    def deliver(self, tag: int) -> None:
        """Note a delivery; the broker counts tags upwards."""
        self._outstanding.append(tag)

    def done(self, tag: int) -> None:
        """Note that the work is done: the next ``take`` acknowledges it."""
        self._done.add(tag)

    def settled(self, tag: int) -> None:
        """Note that the tag was settled by a frame of its own (reject, nack)."""
        self._settled.add(tag)

    def take(self) -> list[Ack]:
        """Give the ack frames that are due now, each tag once."""
        highest = covered = 0
        while self._outstanding:
            tag = self._outstanding[0]
            if tag in self._done:
                self._done.remove(tag)
                highest, covered = tag, covered + 1
            elif tag in self._settled:
                self._settled.remove(tag)
            else:
                break
            self._outstanding.popleft()
        acks = [Ack(highest, multiple=covered > 1)] if covered else []
        acks.extend(Ack(tag, multiple=False) for tag in sorted(self._done))
        self._settled |= self._done
        self._done.clear()
        return acks
