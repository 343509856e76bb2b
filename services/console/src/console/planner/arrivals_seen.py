"""How much came in the last minutes, and how unevenly. Pure."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from console.planner.figures import Figure, assumed, measured

#: Seconds that are remembered, and those that "now" means.
KEEP_S, RECENT_S = 900.0, 120.0
#: Seconds over which a peak is taken.
PEAK_S = 30.0
#: A burst: so many seconds that brought more than this share of all, and at least so many messages.
_BURST_S, _BURST_SHARE, _BURST_MESSAGES = 15.0, 0.5, 20
#: Two samples further apart than this have a gap between them in which nobody looked.
_GAP_S = 5.0


@dataclass(frozen=True, slots=True)
class Peak:
    """The most that came within ``PEAK_S`` seconds: messages, and seconds ago."""

    messages: int
    ago_s: float


class ArrivalsSeen:
    """Rates over time, as the fleet's history has them."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[float, float, float]] = deque()  # (until, seconds, messages)
        self._last: float | None = None

    def add(self, at: float, per_s: float) -> None:
        """Note that ``per_s`` messages per second came up to ``at`` (seconds)."""
        if self._last is not None and 0 < at - self._last <= _GAP_S:
            self._pieces.append((at, at - self._last, per_s * (at - self._last)))
        self._last = at
        while self._pieces and self._pieces[0][0] < at - KEEP_S:
            self._pieces.popleft()

    def over(self, seconds: float) -> Figure:
        """Give the mean rate of the last ``seconds`` seconds, or of as many as were seen."""
        newest = self._pieces[-1][0] if self._pieces else 0.0
        recent = [piece for piece in self._pieces if piece[0] > newest - seconds]
        seen_s = sum(length for _, length, _ in recent)
        if seen_s <= 0:
            return assumed(0.0)
        messages = sum(count for *_, count in recent)
        return measured(messages / seen_s, round(messages), seen_s)

    @property
    def steady(self) -> Figure:
        """The mean rate of late, without a burst that was in it: the next second will bring none by itself."""
        recent = self.over(RECENT_S)
        newest = self._pieces[-1][0] if self._pieces else 0.0
        busiest = _busiest([piece for piece in self._pieces if piece[0] > newest - RECENT_S], _BURST_S)
        messages, rest_s = busiest[0], recent.over_s - _BURST_S
        if rest_s <= 0 or messages < max(_BURST_MESSAGES, _BURST_SHARE * recent.samples):
            return recent
        rest = max(0.0, recent.value * recent.over_s - messages)
        return measured(rest / rest_s, round(rest), rest_s)

    @property
    def peak(self) -> Peak | None:
        """The busiest ``PEAK_S`` seconds; None before anything was seen."""
        if not self._pieces:
            return None
        messages, until = _busiest(self._pieces, PEAK_S)
        return Peak(round(messages), self._pieces[-1][0] - until)


def _busiest(pieces: Iterable[tuple[float, float, float]], span_s: float) -> tuple[float, float]:
    """Give the most messages within ``span_s`` seconds, and the end of these."""
    most = (0.0, 0.0)
    window: deque[tuple[float, float]] = deque()
    running = 0.0
    for until, _, count in pieces:
        window.append((until, count))
        running += count
        while window[0][0] <= until - span_s:
            running -= window.popleft()[1]
        most = max(most, (running, until))
    return most
