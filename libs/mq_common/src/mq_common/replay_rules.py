"""Which dead letters a replay puts back. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from mq_common.dead_letters import DeathHistory

#: A message that failed again after so many replays is left to a person.
DEFAULT_MAX_REPLAYS = 3
#: Asks for the letters about whose error nobody knows anything; lists show them so.
NO_ERROR_KNOWN = "-"


class Verdict(Enum):
    """What happens to one dead letter. Only REPLAY touches it; everything else stays in place, uncounted."""

    REPLAY = "replay"
    #: The selection does not ask for it.
    NOT_SELECTED = "not selected"
    #: It has not been dead for as long as the selection asks.
    TOO_YOUNG = "too young"
    #: It was replayed ``max_replays`` times already.
    OVER_LIMIT = "over its replays"
    #: This very run put it back, and it is here again: once more would be a loop.
    CAME_BACK = "came back"


@dataclass(frozen=True, slots=True)
class Selection:
    """What a replay asks for. None asks for everything.

    ``reason``: the broker's word (rejected, delivery_limit). ``error``: the class of the error that the worker gave
    up with, or ``NO_ERROR_KNOWN``. ``asset``: an asset's id. ``older_than_s``: seconds since the latest death,
    at least.
    ``events``: ids of single messages, as ``DeadLetter.event_id`` gives them; all copies of them are meant.
    """

    reason: str | None = None
    error: str | None = None
    asset: str | None = None
    older_than_s: float | None = None
    max_replays: int = DEFAULT_MAX_REPLAYS
    events: frozenset[str] | None = None

    def verdict(
        self, history: DeathHistory, *, event_id: str | None, asset_id: str | None, now: datetime, run: str
    ) -> Verdict:
        """Decide on one dead letter as far as its headers and body tell; ``wants_error`` has to agree.

        ``event_id`` and ``asset_id``: None when the message does not say. ``run``: the name of this run.
        """
        if (
            (self.reason is not None and history.reason != self.reason)
            or (self.asset is not None and asset_id != self.asset)
            or (self.events is not None and event_id not in self.events)
        ):
            return Verdict.NOT_SELECTED
        if self.older_than_s is not None and not self._is_older(history.age_s(now)):
            return Verdict.TOO_YOUNG
        if history.replay_run == run:
            return Verdict.CAME_BACK
        return Verdict.OVER_LIMIT if history.replays >= self.max_replays else Verdict.REPLAY

    def _is_older(self, age_s: float | None) -> bool:
        return age_s is not None and self.older_than_s is not None and age_s >= self.older_than_s

    def wants_error(self, error_class: str | None) -> bool:
        """Tell whether the error that a worker gave up with (None: nobody knows) is asked for."""
        return self.error is None or self.error == (error_class or NO_ERROR_KNOWN)


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """What to replay and how. ``limit``: messages at most. ``rate``: messages per second at most.

    A dry run looks and decides, and moves nothing.
    """

    selection: Selection = Selection()
    limit: int | None = None
    rate: float | None = None
    dry_run: bool = False
