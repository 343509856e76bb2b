"""Counts of a replay."""

from dataclasses import dataclass

from mq_common.messages import Outcome
from mq_common.replay_rules import Verdict


@dataclass(slots=True)
class Tally:
    """How far a replay is. Everything but ``moved`` is still in the dead-letter queue.

    ``depth``: messages at the start. ``seen``: looked at. ``selected``: to be moved (a dry run stops there).
    ``too_young``: not dead for long enough. ``over_limit``: replayed too often already. ``came_back``: put back by this
    run and rejected again meanwhile. ``refused``: not taken by the target queue. ``unsure``: without an answer, so
    possibly there twice. ``trouble``: why the run ended early, for people.
    """

    depth: int = 0
    seen: int = 0
    selected: int = 0
    moved: int = 0
    not_selected: int = 0
    too_young: int = 0
    over_limit: int = 0
    came_back: int = 0
    refused: int = 0
    unsure: int = 0
    unmarked: int = 0
    rounds: int = 0
    trouble: str | None = None

    @property
    def failed(self) -> int:
        """Messages that should have moved and could not."""
        return self.refused + self.unsure

    def begin_round(self, depth: int) -> None:
        """Begin a walk; the counts of what stays start anew, since it is all looked at again."""
        if not self.rounds:
            self.depth = depth
        self.rounds += 1
        self.seen, self.selected = self.moved, self.moved
        self.not_selected = self.too_young = self.over_limit = self.came_back = self.refused = self.unsure = 0

    def decided(self, verdict: Verdict) -> None:
        """Count a message that was looked at."""
        self.seen += 1
        if verdict is Verdict.REPLAY:
            self.selected += 1
        elif verdict is Verdict.NOT_SELECTED:
            self.not_selected += 1
        elif verdict is Verdict.TOO_YOUNG:
            self.too_young += 1
        elif verdict is Verdict.OVER_LIMIT:
            self.over_limit += 1
        else:
            self.came_back += 1

    def left(self, outcome: Outcome) -> None:
        """Count a message that could not be moved."""
        if outcome is Outcome.UNKNOWN:
            self.unsure += 1
        else:
            self.refused += 1
