"""Counts a run: every answer, every upload's end."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from mediaflow_load.answers import Answer

#: Seconds over which the highest rate is taken.
_PEAK_S = 5


@dataclass(slots=True)
class Tally:
    """What came of a run so far. Durations in seconds."""

    answers: Counter[str] = field(default_factory=Counter)
    #: accepted, failed, given_up.
    ends: Counter[str] = field(default_factory=Counter)
    #: What was said by the answers that are failures, and how often.
    troubles: Counter[str] = field(default_factory=Counter)
    #: Of the accepted requests.
    seconds: list[float] = field(default_factory=list)
    #: How much later than due the first request of each upload was sent.
    late: list[float] = field(default_factory=list)
    _sent: Counter[int] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        """Requests that have ended."""
        return self.answers.total()

    @property
    def uploads(self) -> int:
        """Uploads that have ended."""
        return self.ends.total()

    def count_sent(self, elapsed_s: float, late_s: float | None) -> None:
        """Count a request that goes out; `late_s` only for an upload's first."""
        self._sent[int(elapsed_s)] += 1
        if late_s is not None:
            self.late.append(max(0.0, late_s))

    def count_answer(self, answer: Answer) -> None:
        """Count a request's end."""
        self.answers[answer.outcome] += 1
        if answer.outcome == "accepted":
            self.seconds.append(answer.seconds)
        elif answer.outcome in ("refused", "error"):
            self.troubles[f"{answer.status or 'no answer'} {answer.said}".strip()] += 1

    def peak_rate(self) -> float:
        """Give the most requests per second that went out, over some seconds."""
        last = max(self._sent, default=0)
        span = min(_PEAK_S, last + 1)
        sums = (sum(self._sent[at + each] for each in range(span)) for at in range(last - span + 2))
        return max(sums, default=0) / span


def percentile(values: Sequence[float], share: float) -> float:
    """Give the value under or at which `share` (0–1) of them are, by nearest rank; NaN of nothing."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
