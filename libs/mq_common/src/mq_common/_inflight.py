"""Messages that were sent and not answered yet: which answer belongs to which, and how long each may wait."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from mq_common.messages import Outcome, OutgoingMessage

#: Told once how a message ended, by the publisher's I/O thread: it has to be quick.
Told = Callable[[Outcome], object]


@dataclass(slots=True)
class Submission:
    """A message on its way, and whom to tell how it ended."""

    message: OutgoingMessage
    deadline: float
    submitted: float
    told: Told
    returned: bool = False


class InFlight:
    """Submissions by delivery tag, oldest first. Used by the publisher's I/O thread only.

    The broker numbers confirms by channel, may answer several at once (``multiple``) and in any order, and sends a
    return just before the confirm of the same message, without naming its tag.
    """

    def __init__(self) -> None:
        self._by_tag: OrderedDict[int, Submission] = OrderedDict()
        self._next_tag = 1

    def __len__(self) -> int:
        return len(self._by_tag)

    def add(self, submission: Submission) -> None:
        """Note a message just sent; its tag is the next of this channel."""
        self._by_tag[self._next_tag] = submission
        self._next_tag += 1

    def settle(self, tag: int, *, multiple: bool) -> list[Submission]:
        """Take out what a confirm answers, oldest first. A tag that timed out before is skipped."""
        by_tag = self._by_tag
        if not multiple:
            submission = by_tag.pop(tag, None)
            return [submission] if submission is not None else []
        settled = []
        while by_tag and next(iter(by_tag)) <= tag:
            settled.append(by_tag.popitem(last=False)[1])
        return settled

    def mark_returned(self, exchange: str, routing_key: str, message_id: str | None, body: bytes) -> bool:
        """Mark the oldest message that looks like the returned one; False when none does (it timed out before)."""
        for submission in self._by_tag.values():
            sent = submission.message
            if (
                not submission.returned
                and sent.properties.message_id == message_id
                and sent.routing_key == routing_key
                and sent.exchange == exchange
                and sent.body == body
            ):
                submission.returned = True
                return True
        return False

    def expired(self, now: float) -> list[Submission]:
        """Take out what has waited past its deadline. Deadlines are in sending order, so the oldest decides."""
        overdue = []
        while self._by_tag and next(iter(self._by_tag.values())).deadline <= now:
            overdue.append(self._by_tag.popitem(last=False)[1])
        return overdue

    def restart(self) -> list[Submission]:
        """Forget everything, for a new channel counts from 1 again; gives what was left without an answer."""
        left = list(self._by_tag.values())
        self._by_tag.clear()
        self._next_tag = 1
        return left
