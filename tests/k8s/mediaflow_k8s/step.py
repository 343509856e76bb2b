"""What a scenario on a cluster is."""

from collections.abc import Callable
from dataclasses import dataclass

from mediaflow_k8s.installation import Installation


class StepFailed(Exception):
    """It went otherwise than it has to. One sentence."""


class NotPlayed(Exception):
    """It can't be played on this cluster. Says why, or where it is played."""


@dataclass(frozen=True, slots=True)
class Step:
    """One scenario. ``act`` gives what is shown, and raises StepFailed."""

    name: str
    does: str
    watch: str
    act: Callable[[Installation], str]


def expect(holds: object, otherwise: str) -> None:
    """Raise StepFailed with `otherwise`, unless it holds."""
    if not holds:
        raise StepFailed(otherwise)
