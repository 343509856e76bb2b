"""One line of the report, and whether its target holds. Pure."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

T = TypeVar("T")

#: What a target speaks of: how ours compares with the peer, or our own figure.
Judged = Literal["ratio", "ours"]


@dataclass(frozen=True)
class Target:
    """A bound that a figure should keep."""

    sign: Literal["≥", "≤", "<"]
    limit: float
    judged: Judged = "ratio"

    def holds(self, figure: float) -> bool:
        """Tell whether the figure keeps the bound."""
        return {"≥": figure >= self.limit, "≤": figure <= self.limit, "<": figure < self.limit}[self.sign]

    def __str__(self) -> str:
        return f"{self.judged} {self.sign} {self.limit:g}"


def at_least(limit: float) -> Target:
    """Ask for a ratio of at least `limit`."""
    return Target("≥", limit)


def at_most(limit: float) -> Target:
    """Ask for a ratio of at most `limit`."""
    return Target("≤", limit)


def below(limit: float) -> Target:
    """Ask for a figure of ours below `limit`, in the row's unit."""
    return Target("<", limit, "ours")


def no_more_than(limit: float) -> Target:
    """Ask for a figure of ours of at most `limit`, in the row's unit."""
    return Target("≤", limit, "ours")


@dataclass(frozen=True)
class Row:
    """What was measured: the medians of interleaved runs, in `unit`."""

    what: str
    unit: str
    ours: float
    peer: float | None = None
    target: Target | None = None
    note: str = ""
    #: Every run, for the JSON file: {"ours": […], "peer": […], …}.
    samples: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Ours by the peer's."""
        return self.ours / self.peer if self.peer else None

    @property
    def holds(self) -> bool | None:
        """Whether the target holds; None without one."""
        if self.target is None:
            return None
        figure = self.ratio if self.target.judged == "ratio" else self.ours
        return figure is not None and self.target.holds(figure)

    def as_json(self) -> dict[str, Any]:
        """Give everything that is known of the row."""
        return {
            "what": self.what,
            "unit": self.unit,
            "ours": self.ours,
            "peer": self.peer,
            "ratio": self.ratio,
            "target": str(self.target) if self.target else None,
            "holds": self.holds,
            "note": self.note,
            "samples": self.samples,
        }


def compared(
    what: str, unit: str, ours: Sequence[float], peer: Sequence[float], target: Target | None = None, note: str = ""
) -> Row:
    """Make the row of two sides that were measured in turn.

    The note gets the spread of the paired ratios and the ratio of the best runs, which says more than the medians
    when somebody else was using the machine.
    """
    ratios = sorted(one / other for one, other in zip(ours, peer, strict=True))
    best = max if unit.endswith("/s") else min
    spread = f"{len(ratios)} pairs {ratios[0]:.2f}–{ratios[-1]:.2f}, best {best(ours) / best(peer):.2f}"
    return Row(
        what,
        unit,
        statistics.median(ours),
        statistics.median(peer),
        target,
        f"{spread}; {note}" if note else spread,
        {"ours": list(ours), "peer": list(peer)},
    )


def interleaved(times: int, *sides: Callable[[], T]) -> list[list[T]]:
    """Run the sides in turn, each `times` times; every second round backwards, so that a drift favours nobody."""
    results: list[list[T]] = [[] for _ in sides]
    for round_number in range(times):
        order = range(len(sides)) if round_number % 2 == 0 else reversed(range(len(sides)))
        for number in order:
            results[number].append(sides[number]())
    return results
