"""What a scenario on a cluster is."""

import json
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


def burst(fleet: Installation, count: int) -> str:
    """Upload `count` assets at once; gives what their ids begin with."""
    answer = fleet.door.burst(count)
    expect(answer["status"] == 202, f"the burst was answered {answer['status']}: {answer['body']}")
    return str(json.loads(answer["body"])["burstId"])
