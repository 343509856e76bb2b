"""One message, and what fate holds for it."""

import random

from console.simulator.model import Setting


class Message:
    """One message on its way. Its fate is drawn when it is made, so that it is the same under every policy."""

    __slots__ = (
        "attempt",
        "calls",
        "cpu",
        "fails",
        "made_at",
        "number",
        "poison",
        "producer",
        "rejected",
        "since",
        "work_s",
    )

    def __init__(self, number: int, producer: int, made_at: float) -> None:
        self.number = number
        self.producer = producer
        self.made_at = made_at
        #: When it came into the queue, the last time.
        self.since = made_at
        #: Which try is the next, or runs; from 1.
        self.attempt = 1
        #: How often a producer was refused with it.
        self.calls = 0
        self.work_s = 0.0
        #: CPU that work on it uses; what it began with, whatever the setting becomes meanwhile.
        self.cpu = 0.0
        self.fails = False
        self.poison = False
        self.rejected = False

    @property
    def kind(self) -> str:
        """poison, retry (failed before) or plain."""
        if self.poison:
            return "poison"
        return "retry" if self.attempt > 1 else "plain"


class Fate:
    """Draws what will happen to messages: the same draws for the same seed, whatever is built around them."""

    def __init__(self, seed: int) -> None:
        # one stream for each matter, so that a change in one does not shift the others
        self._first = random.Random(f"{seed}:first tries")  # noqa: S311 - a simulation
        self._later = random.Random(f"{seed}:later tries")  # noqa: S311

    def make(self, number: int, producer: int, now: float, setting: Setting, *, poison: bool = False) -> Message:
        """Give a new message."""
        message = Message(number, producer, now)
        draw = self._first.random
        faults = setting.faults
        # always four draws: the next message's must not depend on this one's
        work, transient, poisoned, rejected = draw(), draw(), draw(), draw()
        message.poison = poison or poisoned < faults.poison
        message.rejected = not message.poison and rejected < faults.rejected
        message.fails = transient < faults.transient
        message.work_s = self._work(message, work, setting)
        return message

    def again(self, message: Message, setting: Setting) -> None:
        """Make the message ready for its next try."""
        message.attempt += 1
        work, transient = self._later.random(), self._later.random()
        message.fails = transient < setting.faults.transient_again
        message.work_s = self._work(message, work, setting)

    @staticmethod
    def _work(message: Message, draw: float, setting: Setting) -> float:
        if message.poison and setting.faults.poison_hang is not None:
            return setting.faults.poison_hang.at(draw)
        return setting.workers.service.at(draw)
