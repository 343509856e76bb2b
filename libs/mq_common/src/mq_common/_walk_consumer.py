"""One of the consumers that follow each other through a dead-letter queue, and what it has."""

from dataclasses import dataclass


@dataclass(slots=True)
class WalkConsumer:
    """Counts of one consumer. Its delivery tags are a range of its own, since it is cancelled before the next begins.

    ``held``: to stay; ``taken``: to be acknowledged; ``acked``: acknowledged.
    """

    name: str
    prefetch: int
    first_tag: int = 1 << 63
    last_held: int = 0
    delivered: int = 0
    held: int = 0
    taken: int = 0
    acked: int = 0

    def deliver(self, tag: int) -> None:
        """Note a delivery; the broker counts tags upwards."""
        if not self.delivered:
            self.first_tag = tag
        self.delivered += 1

    def hold(self, tag: int) -> None:
        """Note that the message stays."""
        self.held += 1
        self.last_held = max(self.last_held, tag)

    @property
    def is_decided(self) -> bool:
        """True when each message is either held or taken."""
        return self.held + self.taken == self.delivered

    @property
    def is_full(self) -> bool:
        """True when the broker sends no more until something is acknowledged."""
        return self.delivered - self.acked >= self.prefetch

    @property
    def is_half_held(self) -> bool:
        """True when so much of the prefetch is held that the rest would soon be too little to work with."""
        return self.held * 2 >= self.prefetch
