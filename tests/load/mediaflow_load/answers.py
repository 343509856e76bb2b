"""What an answer of the front door means. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

#: accepted: 202. shed, unavailable: 429 and 503, back-pressure. refused: any other answer. error: none at all.
Outcome = Literal["accepted", "shed", "unavailable", "refused", "error"]
OUTCOMES: tuple[Outcome, ...] = ("accepted", "shed", "unavailable", "refused", "error")

#: The ones after which a client comes again.
BACK_PRESSURE: frozenset[Outcome] = frozenset(("shed", "unavailable"))

#: Seconds until an upload comes again where the answer does not say.
_USUAL_WAIT_S = 5.0

_BY_STATUS: Mapping[int, Outcome] = {0: "error", 202: "accepted", 429: "shed", 503: "unavailable"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One request's end. `status` 0: no answer came, and `said` tells why. `seconds`: from sending to the end."""

    status: int
    seconds: float
    retry_after: str | None = None
    said: str = ""

    @property
    def outcome(self) -> Outcome:
        """What it means."""
        return _BY_STATUS.get(self.status, "refused")

    def wait_s(self, now: float) -> float:
        """Give the seconds until the upload may come again; `now` is Unix time, for a Retry-After that is a date."""
        text = (self.retry_after or "").strip()
        if text.isdecimal():
            return float(text)
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - now)
        except ValueError:
            return _USUAL_WAIT_S
