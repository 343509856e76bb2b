"""What a simulation tells: plain values at one simulated moment."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """Messages so far, each counted where it ended or passed."""

    produced: int = 0
    """Made by producers (with callers that retry or shed: also those that were refused)."""
    admitted: int = 0
    """Of these, came into the queue, the backlog at the start included."""
    dropped: int = 0
    """Fell at the door of a full queue."""
    refused: int = 0
    """Were let go of by their producer after back-pressure refused them for good."""
    refusals: int = 0
    """Times a producer was told to come later."""
    done: int = 0
    dead: int = 0
    """In the dead-letter queue."""
    failures: int = 0
    """Tries that failed."""
    retries: int = 0
    """Failed tries that are followed by another."""
    second_tries: int = 0
    """Second tries that ended, of messages that are not poison."""
    second_tries_done: int = 0
    """Of these, succeeded."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message in the dead-letter queue, as somebody who looks at it later finds it."""

    number: int
    """The message's own: how many were made before it, and it."""
    kind: str
    """poison, rejected (known to be bad at the first try) or retry (it failed too often for reasons that pass)."""
    tries: int
    made_at_s: float
    died_at_s: float


@dataclass(frozen=True, slots=True)
class WorkerView:
    """One worker."""

    place: int
    """Its seat, from 0: the lowest that was free."""
    state: str
    """starting, idle, busy, or stopping (finishes what it holds)."""
    kind: str | None
    """Of the message it works on: plain, retry, poison; poison if one of several is. None when idle."""
    progress: float
    """Of that message or of the start, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Readings:
    """All there is to read at `time_s`. Times are simulated seconds, rates messages a second over the last second."""

    time_s: float
    depth: int
    """Messages that wait in the queue."""
    in_process: int
    """Messages that workers hold (unacknowledged)."""
    back_off: int
    """Failed messages that wait to come back."""
    poison_back_off: int
    """Of these, poison."""
    with_callers: int
    """Refused messages that their producer will send again."""
    lag_s: float
    """Age of the oldest message in the queue since it came in (a retry comes in anew); 0 for an empty queue."""
    offered_per_s: float
    """What producers want to send, unless slowed."""
    in_per_s: float
    """New messages that came into the queue."""
    out_per_s: float
    """Messages that were done."""
    failed_per_s: float
    dropped_per_s: float
    refused_per_s: float
    """Refusals, those that are tried again included."""
    throttle: float
    """Share by which back-pressure slows producers at this moment, 0 to 1."""
    throttled_s: float
    """Producer-seconds spent waiting for back-pressure so far."""
    held_back: float
    """Messages that producers would have sent in these."""
    wanted: int
    """Workers the policy wants."""
    starting: int
    running: int
    """Workers that take messages (idle or busy)."""
    stopping: int
    busy: int
    """Jobs that are worked on, poison included."""
    busy_on_poison: int
    cpu: float
    """CPU of the running workers when the policy last looked, as a fraction of what they asked for."""
    deepest: int
    """The largest depth so far."""
    longest_lag_s: float
    """The longest time a message waited in the queue so far, or still waits."""
    waited_s: float
    """Mean time a message waited in the queue before a worker took it, so far."""
    worker_s: float
    """Worker-seconds so far, from the beginning of a worker's start to its end: what is paid for."""
    busy_s: float
    """Job-seconds of work so far, poison included."""
    poison_s: float
    """Job-seconds that went into poison messages so far."""
    counts: Counts

    @property
    def accounted(self) -> int:
        """Messages that can be pointed at; always as many as were produced."""
        ended = self.counts.done + self.counts.dead + self.counts.dropped + self.counts.refused
        return ended + self.depth + self.in_process + self.back_off + self.with_callers
