"""What a replay would do, said before it does it: by the same rule that the replayer decides by. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from console.dead_letters.letter_row import LetterRow
from mq_common.replay_rules import ReplayPlan, Verdict

#: Groups that a forecast tells apart.
_MOST_GROUPS = 200


class Fate(Enum):
    """What happens to a letter, and why it stays where it does."""

    MOVES = "moves"
    NOT_CHOSEN = "notChosen"
    TOO_YOUNG = "tooYoung"
    OVER_MAX_REPLAYS = "overMaxReplays"
    BEYOND_LIMIT = "beyondLimit"
    #: Its properties are damaged: it can't be published again.
    DAMAGED = "damaged"


_FATES = {
    Verdict.REPLAY: Fate.MOVES,
    Verdict.NOT_SELECTED: Fate.NOT_CHOSEN,
    Verdict.TOO_YOUNG: Fate.TOO_YOUNG,
    Verdict.OVER_LIMIT: Fate.OVER_MAX_REPLAYS,
    Verdict.CAME_BACK: Fate.OVER_MAX_REPLAYS,
}

Fates = dict[Fate, int]


@dataclass(slots=True)
class Forecast:
    """Letters by their fate, altogether and by reason and error class (None: not known).

    Groups of which nothing was chosen are left out. ``seconds``: how long it takes at the rate that was asked for.
    """

    fates: Fates = field(default_factory=lambda: dict.fromkeys(Fate, 0))
    groups: dict[tuple[str, str | None], Fates] = field(default_factory=dict)
    seconds: float | None = None

    @property
    def moves(self) -> int:
        """Letters that would go back into their queue."""
        return self.fates[Fate.MOVES]

    def count(self, row: LetterRow, fate: Fate) -> None:
        """Count one letter."""
        self.fates[fate] += 1
        key = (row.history.reason, row.error)
        if fate is Fate.NOT_CHOSEN or (key not in self.groups and len(self.groups) >= _MOST_GROUPS):
            return
        self.groups.setdefault(key, dict.fromkeys(Fate, 0))[fate] += 1


def foretell(rows: Iterable[LetterRow], plan: ReplayPlan, now: datetime) -> Forecast:
    """Say what the plan would do to the letters, which come in the queue's order."""
    forecast = Forecast()
    for row in rows:
        fate = _fate(row, plan, now)
        if fate is Fate.MOVES and plan.limit is not None and forecast.moves >= plan.limit:
            fate = Fate.BEYOND_LIMIT
        forecast.count(row, fate)
    if plan.rate is not None:
        forecast.seconds = forecast.moves / plan.rate
    return forecast


def _fate(row: LetterRow, plan: ReplayPlan, now: datetime) -> Fate:
    selection = plan.selection
    verdict = selection.verdict(row.history, event_id=row.event_id, asset_id=row.asset_id, now=now, run="")
    if verdict is Verdict.NOT_SELECTED or not selection.wants_error(row.error):
        return Fate.NOT_CHOSEN
    return _FATES[verdict] if row.intact else Fate.DAMAGED
