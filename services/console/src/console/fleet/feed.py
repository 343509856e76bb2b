"""The live feed: one look, encoded once, for every open page (server-sent events)."""

import secrets
import threading
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from console.fleet.history import History, columns_of
from console.fleet.looks import FleetLook
from console.fleet.wire import look_json

#: Seconds after which a stream says that it lives although there was no look.
HEARTBEAT_S = 2.0


class TooManyViewers(Exception):
    """As many pages watch as may."""


class FleetFeed:
    """Holds the newest look and the history, and hands both to any number of streams.

    A stream begins with the history (all of it, or what came after the last event that the page has seen) and goes on
    with every look. Pages cost the broker nothing, and the console one encoding for all.
    """

    def __init__(self, viewers: int) -> None:
        self.history = History()
        self._most_viewers = viewers
        self._run = secrets.token_hex(4)
        self._changed = threading.Condition()
        self._look: FleetLook | None = None
        self._event = b""
        self._extras: Callable[[], dict[str, Any]] = dict
        self._history_event: tuple[int, bytes] = (-1, b"")
        self._viewers = 0
        self._fed = False
        self._closed = False

    @property
    def viewers(self) -> int:
        """Streams that are open now."""
        return self._viewers

    @property
    def look(self) -> FleetLook | None:
        """The newest look; None before the first one."""
        return self._look

    def dead_letters(self) -> dict[str, int]:
        """Give what was in the dead-letter queues at the newest look, by channel; nothing before the first."""
        look = self.look
        return {channel.name: channel.dead_letters for channel in look.channels} if look is not None else {}

    def add_to_events(self, extras: Callable[[], dict[str, Any]]) -> None:
        """Put what ``extras`` gives beside each look, for example what operators did last."""
        self._extras = extras

    def open(self) -> None:
        """Say that looks will come: until then nobody waits for the first one."""
        self._fed = True

    def publish(self, look: FleetLook) -> None:
        """Hand a look to every stream, and keep it."""
        self.history.add(look)
        event = self._encode("look", look.number, look_json(look) | self._extras())
        with self._changed:
            self._look, self._event = look, event
            self._changed.notify_all()

    def await_look(self, after: int, limit_s: float) -> FleetLook | None:
        """Give the first look with a number above ``after``, or the newest one when ``limit_s`` seconds are over."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not self._fed or self._number > after, limit_s)
            return self._look

    def stream(self, after: str = "") -> Iterator[bytes]:
        """Give events until the feed is closed; ``after``: the id of the last one seen.

        The first ``next`` opens the stream. Raises TooManyViewers at once, before anything is given.
        """
        with self._changed:
            if self._viewers >= self._most_viewers:
                raise TooManyViewers
            self._viewers += 1
        return _Stream(self._events(after), self._left)

    def close(self) -> None:
        """End every stream."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def _number(self) -> int:
        return self._look.number if self._look is not None else -1

    def _left(self) -> None:
        with self._changed:
            self._viewers -= 1

    def _events(self, after: str) -> Iterator[bytes]:
        yield self._history_since(self._number_of(after))
        seen = -1
        while not self._closed:
            number, event = self._await_event(seen)
            if not self._closed:
                yield event if number > seen else b"event: beat\ndata: {}\n\n"
            seen = number

    def _await_event(self, seen: int) -> tuple[int, bytes]:
        """Give the newest look's number and event; waits for one above ``seen``, but not longer than a heartbeat."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._number > seen, HEARTBEAT_S)
            return self._number, self._event

    def _history_since(self, seen: int | None) -> bytes:
        if seen is not None:
            rest = self.history.since(seen)
            return self._encode("history", seen, columns_of(rest) | {"whole": False})
        number, event = self._history_event
        if number != self._number:
            number = self._number
            event = self._encode("history", number, columns_of(self.history.since()) | {"whole": True})
            self._history_event = (number, event)
        return event

    def _number_of(self, event_id: str) -> int | None:
        """Read an event's id; None where its successors are not known any more, or it is another console's."""
        run, _, number = event_id.partition(".")
        if run != self._run or not number.isdecimal():
            return None
        first = next(iter(self.history.since()), None)
        return int(number) if first is not None and first.number <= int(number) + 1 else None

    def _encode(self, name: str, number: int, data: dict[str, Any]) -> bytes:
        return b"id: %s.%d\nevent: %s\ndata: %s\n\n" % (self._run.encode(), number, name.encode(), orjson.dumps(data))


class _Stream(Iterator[bytes]):
    """A stream that counts as a viewer from its making to its close, whether it was ever begun or not."""

    def __init__(self, events: Iterator[bytes], left: Callable[[], None]) -> None:
        self._events = events
        self._left: Callable[[], None] | None = left

    def __next__(self) -> bytes:
        return next(self._events)

    def close(self) -> None:
        """Count no more. The server calls it when the page is gone."""
        left, self._left = self._left, None
        if left is not None:
            left()
