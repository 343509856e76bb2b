"""What a scenario has to show, and whether it did."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Criterion:
    """One thing that has to hold, and what was seen."""

    text: str
    holds: bool
    seen: str = ""

    def __str__(self) -> str:
        seen = f" ({self.seen})" if self.seen else ""
        return f"{self.text}{seen}" if self.holds else f"NOT: {self.text}{seen}"


@dataclass
class Verdict:
    """All criteria of one scenario; `error` is what kept it from its end."""

    number: str
    title: str
    criteria: list[Criterion] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the scenario came to its end and everything held."""
        return not self.error and bool(self.criteria) and all(each.holds for each in self.criteria)

    def line(self) -> str:
        """Say it in one line: what failed comes first."""
        parts = [str(each) for each in sorted(self.criteria, key=lambda each: each.holds)]
        if self.error:
            parts.insert(0, self.error)
        return f"{'PASS' if self.passed else 'FAIL'}  {self.number}  {self.title}: {'; '.join(parts)}"

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return asdict(self) | {"passed": self.passed}
