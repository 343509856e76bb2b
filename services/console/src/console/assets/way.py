"""An asset's way through one channel: what happened, and how long each part of it took. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any, Literal

Json = Mapping[str, Any]

SpanKind = Literal["waiting", "running", "pausing", "dead"]

#: What follows each event, until the next one; None: nothing, it has ended.
_NEXT: Mapping[str, SpanKind | None] = {
    "queued": "waiting",
    "started": "running",
    "attempt-failed": "pausing",
    "interrupted": "waiting",
    "delivered-again": "waiting",
    "dead-lettered": "dead",
    "replayed": "waiting",
    "done": None,
}


@dataclass(frozen=True, slots=True)
class Happening:
    """One event. ``after_s``: seconds since the upload."""

    event: str
    at: datetime
    after_s: float
    details: Json


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the way, in seconds since the upload."""

    kind: SpanKind
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Way:
    """What happened in a channel, oldest first, and the parts between. ``live``: the last part still grows."""

    happenings: tuple[Happening, ...]
    spans: tuple[Span, ...]
    live: bool

    @property
    def end_s(self) -> float:
        """How far the way reaches, in seconds since the upload."""
        return max((happening.after_s for happening in self.happenings), default=0.0)


def way_of(events: Sequence[Json], *, now: datetime) -> Way:
    """Read a channel's events. Unknown ones are told without a part of their own."""
    happenings = tuple(_happenings(events))
    live = bool(happenings) and _NEXT.get(happenings[-1].event) in ("waiting", "running", "pausing")
    now_s = (now - happenings[0].at).total_seconds() if happenings else 0.0
    return Way(happenings, tuple(_spans(happenings, now_s if live else None)), live)


def axis_s(ways: Sequence[Way], *, now_s: float) -> float:
    """Give the length of an axis that holds all ways, in seconds; never nothing."""
    reach = max((way.end_s for way in ways), default=0.0)
    if any(way.live for way in ways):
        reach = max(reach, now_s)
    return max(reach, 0.001)


def ticks(length_s: float, most: int = 5) -> list[float]:
    """Give round moments on an axis of this length, in seconds, 0 among them.

    >>> ticks(42.0)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    steps = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
    long_steps = (2 * 3600, 6 * 3600, 12 * 3600, *(days * 86400 for days in (1, 2, 7, 14, 30, 90, 365, 3650)))
    step = next((step for step in (*steps, *long_steps) if length_s / step <= most), length_s)
    return [round(float(step) * number, 6) for number in range(int(length_s / step) + 1)]


def _happenings(events: Sequence[Json]) -> Iterator[Happening]:
    first: datetime | None = None
    for event in events:
        at = datetime.fromisoformat(str(event["at"]))
        first = first or at
        # Clocks of several machines may disagree by a little; nothing happens before the upload.
        yield Happening(str(event["event"]), at, max(0.0, (at - first).total_seconds()), event)


def _spans(happenings: Sequence[Happening], now_s: float | None) -> Iterator[Span]:
    for happening, following in zip_longest(happenings, happenings[1:]):
        kind = _NEXT.get(happening.event)
        end_s = following.after_s if following else now_s
        if kind is not None and end_s is not None and end_s > happening.after_s:
            yield Span(kind, happening.after_s, end_s)
