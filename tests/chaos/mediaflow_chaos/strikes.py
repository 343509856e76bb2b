"""What the nemesis will do, and when: a pure function of the seed, so that a run can be repeated."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds of undisturbed load before the first strike.
WARM_UP_S = 3.0


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One way to hurt the fleet. ``subject`` is what it hurts: two faults never hurt the same subject at once.

    It lasts from ``shortest_s`` to ``longest_s`` seconds (0: a blow), and ``rest_s`` seconds pass before the next.
    """

    name: str
    subject: str
    shortest_s: float = 0.0
    longest_s: float = 0.0
    rest_s: float = 3.0


@dataclass(frozen=True, slots=True)
class Strike:
    """One fault at one moment. ``target`` is a number that the fault reduces to one of what it can hit."""

    at_s: float
    fault: str
    target: int
    for_s: float

    @property
    def until_s(self) -> float:
        """When it is over, in seconds since the start."""
        return self.at_s + self.for_s

    def __str__(self) -> str:
        lasts = f" for {self.for_s:.1f} s" if self.for_s else ""
        return f"{self.at_s:6.1f} s  {self.fault}{lasts} (target {self.target})"


def plan(seed: int, duration_s: float, kinds: Sequence[FaultKind]) -> tuple[Strike, ...]:
    """Plan the strikes of a run: every kind once, one at a time, in the seed's order; then mixed, until the end."""
    drawn = random.Random(f"strikes:{seed}")
    strikes: list[Strike] = []
    now, mixed = WARM_UP_S, False
    while kinds and now < duration_s:
        for kind in drawn.sample(list(kinds), len(kinds)):
            strike = _strike(drawn, kind, now)
            if strike.until_s > duration_s:
                return tuple(strikes)
            strikes.append(strike)
            now = strike.until_s + kind.rest_s * drawn.uniform(0.5, 1.0)
            if mixed and (second := _beside(drawn, strike, kind, kinds)) and second.until_s <= duration_s:
                strikes.append(second)
                now = max(now, second.until_s + 1.0)
        mixed = True
    return tuple(strikes)


def _strike(drawn: random.Random, kind: FaultKind, at_s: float) -> Strike:
    return Strike(
        round(at_s, 2), kind.name, drawn.randrange(1000), round(drawn.uniform(kind.shortest_s, kind.longest_s), 2)
    )


def _beside(drawn: random.Random, first: Strike, kind: FaultKind, kinds: Sequence[FaultKind]) -> Strike | None:
    """Plan a second strike that begins while the first lasts, or right after a blow, on another subject."""
    others = [each for each in kinds if each.subject != kind.subject]
    if not others or drawn.random() < 0.4:
        return None
    return _strike(drawn, drawn.choice(others), first.at_s + drawn.uniform(0.1, max(0.5, first.for_s)))
