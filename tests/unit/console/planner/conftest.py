"""A channel as it was measured, for questions that need no fleet."""

from collections.abc import Callable
from typing import Any

import pytest

from console.planner.attempts import JobMix
from console.planner.figures import assumed, measured
from console.planner.job_times import constant
from console.planner.measured import Measured
from console.planner.question import Question
from console.planner.scaling_rule import ScalingRule
from console.planner.situation import Situation, situation

RULE = ScalingRule(target=15, fewest=2, most=8, poll_s=2, figures_age_s=1, cooldown_s=60)


def _channel(**changes: Any) -> Measured:
    """Two-second jobs, five at a time in each worker; nothing waits, nothing comes."""
    values: dict[str, Any] = {
        "channel": "transcode",
        "arrival": measured(0.0, 0, 120),
        "usual_arrival": measured(0.0, 0, 900),
        "peak": None,
        "job": measured(2.0, 500, 900),
        "failing": measured(0.0, 500, 900),
        "overhead": assumed(0.0),
        "start": measured(1.0, 5),
        "ready": 0,
        "unacked": 0,
        "oldest_s": 0.0,
        "workers": 2,
        "jobs": JobMix(constant(2.0), constant(9.0)),
        "starts": constant(1.0),
        "concurrency": 5,
        "prefetch": 5,
        "rule": RULE,
    }
    return Measured(**values | changes)


@pytest.fixture
def asked() -> Callable[..., Situation]:
    """Give the situation of a question about that channel."""
    return lambda **question: situation(_channel(), Question(**question))


@pytest.fixture
def channel() -> Callable[..., Measured]:
    """Give that channel, some of its figures changed."""
    return _channel
