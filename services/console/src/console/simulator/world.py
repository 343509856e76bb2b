"""What all parts of a simulation share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from simpy import Environment, Event

from console.simulator.book import Book
from console.simulator.bounded_queue import BoundedQueue
from console.simulator.door import places
from console.simulator.message import Fate, Message
from console.simulator.model import Setting


def _nobody() -> None:
    """There are no workers yet."""


@dataclass(slots=True)
class World:
    """Clock, setting as it is now, queue and book."""

    env: Environment
    setting: Setting
    book: Book
    fate: Fate
    queue: BoundedQueue = field(default_factory=BoundedQueue)
    #: Called when a message came into the queue.
    arrived: Callable[[], None] = _nobody

    @property
    def now(self) -> float:
        """Simulated seconds since the start."""
        return float(self.env.now)

    def after(self, seconds: float, call: Callable[[], object]) -> None:
        """Call that in so many simulated seconds."""

        def ring(_: Event) -> None:
            call()

        self.env.timeout(seconds).callbacks.append(ring)

    def new_message(self, producer: int, *, poison: bool = False) -> Message:
        """Make a message and count it."""
        self.book.counts.produced += 1
        return self.fate.make(self.book.counts.produced, producer, self.now, self.setting, poison=poison)

    def admit(self, message: Message) -> None:
        """Put a new message into the queue; the caller has looked for room."""
        self.queue.put(message, self.now)
        self.book.counts.admitted += 1
        self.book.poison_about += message.poison
        self.book.entered.count(self.now)
        self.book.trace(self.now, "put", message, message.producer)
        self.arrived()

    def bring_again(self, message: Message) -> None:
        """Let a retry come to the end of the queue, as soon as there is a place."""
        if self.queue.bring_again(message, self.now, places(self.setting.queue)):
            self.came_back(message)
            self.arrived()

    def came_back(self, message: Message) -> None:
        """Write down that a retry is in the queue again."""
        self.book.back_off -= 1
        self.book.poison_back_off -= message.poison
        self.book.trace(self.now, "back", message, 0)
