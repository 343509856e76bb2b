"""What happened to single messages, for those who draw them."""

from typing import Literal, NamedTuple

#: put: came into the queue (place: producer). refused, dropped: did not (place: producer).
#: taken, done, failed, dead: at a worker (place: worker). failed goes into back-off, dead to the dead-letter queue.
#: back: came again to the end of the queue after its back-off.
#: returned: given back unbegun to the head (place: worker).
What = Literal["put", "refused", "dropped", "taken", "done", "failed", "dead", "back", "returned"]


class Step(NamedTuple):
    """One step of one message."""

    time_s: float
    what: What
    number: int
    place: int
    kind: str
    """plain, retry (it failed before) or poison."""
