"""The scenarios by number."""

from collections.abc import Callable
from dataclasses import dataclass

from mediaflow_scenarios import (
    crashing_worker,
    flaky_provider,
    new_channel,
    one_upload,
    pause_and_resume,
    replayed,
    requeue_storm,
    slow_provider,
)
from mediaflow_scenarios.stage import Stage


@dataclass(frozen=True)
class Scenario:
    """A scenario's title, and what plays it."""

    title: str
    run: Callable[[Stage], None]


SCENARIOS = {
    "1": Scenario("one upload, three channels", one_upload.run),
    "1b": Scenario("a fourth channel while everything runs", new_channel.run),
    "2": Scenario("a slow provider swells its queue", slow_provider.run),
    "3": Scenario("a flaky provider: retry, dead letter, x-death", flaky_provider.run),
    "4": Scenario("a crashing worker: the same queue, another reason", crashing_worker.run),
    "5": Scenario("a requeue storm", requeue_storm.run),
    "6": Scenario("replay: dead letters go back to their one queue", replayed.run),
    "7": Scenario("pause and resume: the queue takes it", pause_and_resume.run),
}
