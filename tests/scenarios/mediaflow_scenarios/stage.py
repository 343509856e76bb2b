"""What a scenario is given: the fleet, how much of everything, a page to write on, criteria to meet."""

from dataclasses import dataclass

from mediaflow_scenarios.fleet import ScenarioFleet
from mediaflow_scenarios.page import Page
from mediaflow_scenarios.sizes import Sizes
from mediaflow_scenarios.verdict import Criterion, Verdict
from mq_common.management import QueueDepth


@dataclass
class Stage:
    """One run of one scenario."""

    fleet: ScenarioFleet
    sizes: Sizes
    page: Page
    verdict: Verdict

    def expect(self, holds: bool, criterion: str, seen: object = "") -> None:
        """Note whether a criterion holds, with what was seen."""
        self.verdict.criteria.append(Criterion(criterion, bool(holds), str(seen)))

    def show_queues(self, depths: dict[str, QueueDepth] | None = None) -> dict[str, QueueDepth]:
        """Print the article's table of the channels' queues; gives the depths."""
        depths = depths or self.fleet.queues.depths()
        self.page.command("rabbitmqctl list_queues name messages messages_unacknowledged consumers")
        rows = []
        for spec in self.fleet.channels.values():
            depth = depths[spec.queue]
            rows.append((spec.queue, depth.total, depth.unacked, depth.consumers))
        self.page.table(("name", "messages", "unacked", "consumers"), rows)
        return depths

    def show_dead_letters(self) -> dict[str, int]:
        """Print the article's table of the dead-letter queues; gives their lengths by channel, as they are now."""
        lengths = {name: self.fleet.queues.ready(spec.dead_letter_queue) for name, spec in self.fleet.channels.items()}
        self.page.command("rabbitmqctl list_queues name messages | grep dlq")
        self.page.table(("name", "messages"), [(f"media.{name}.dlq", count) for name, count in lengths.items()])
        return lengths
