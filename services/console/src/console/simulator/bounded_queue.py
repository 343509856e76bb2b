"""The queue: first in, first out, never more than its capacity."""

from collections import deque

from console.simulator.message import Message


class BoundedQueue:
    """Messages that wait. A retry that finds it full waits outside for the next place, before any new message."""

    def __init__(self) -> None:
        self._waiting: deque[Message] = deque()
        self._returning: deque[Message] = deque()
        #: The deepest it ever was.
        self.deepest = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def has_room(self, limit: int | None) -> bool:
        """Tell whether a new message may come in, with `limit` places in all."""
        return limit is None or (len(self._waiting) < limit and not self._returning)

    def put(self, message: Message, now: float) -> None:
        """Append a message; the caller has looked for room."""
        message.since = now
        self._waiting.append(message)
        self.deepest = max(self.deepest, len(self._waiting))

    def put_back(self, message: Message) -> None:
        """Give a message its old place at the head: it was handed out, and nobody began with it."""
        self._waiting.appendleft(message)

    def bring_again(self, message: Message, now: float, limit: int | None) -> bool:
        """Append a retry; give False when it has to wait for a place first."""
        if self.has_room(limit):
            self.put(message, now)
            return True
        self._returning.append(message)
        return False

    def take(self, now: float, limit: int | None) -> tuple[Message, Message | None]:
        """Give the message at the head, and the retry that got the place that came free, if one waited."""
        message = self._waiting.popleft()
        if self._returning and (limit is None or len(self._waiting) < limit):
            back = self._returning.popleft()
            self.put(back, now)
            return message, back
        return message, None

    def oldest_since(self) -> float | None:
        """Give when the message at the head came in; None for an empty queue."""
        return self._waiting[0].since if self._waiting else None

    def marked(self) -> tuple[tuple[int, str], ...]:
        """Give (places behind the head, kind) of all messages that are not plain."""
        return tuple((place, kind) for place, message in enumerate(self._waiting) if (kind := message.kind) != "plain")
