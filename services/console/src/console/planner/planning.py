"""The planner's own parts, put together once for the process."""

from collections.abc import Callable, Mapping
from typing import Literal

from console.control.fleet_control import FleetControl
from console.fleet.feed import FleetFeed
from console.planner.asker import Asker
from console.planner.measurer import Measurer
from mq_common.channels import ChannelSpec


class Planning:
    """Figures, and answers. ``start`` it after the fork."""

    def __init__(
        self,
        control: FleetControl,
        feed: FleetFeed,
        channels: Callable[[], Mapping[str, ChannelSpec]],
        *,
        profile: Literal["media", "simulated"],
        cooldown_s: float,
    ) -> None:
        self.measurer = Measurer(control, feed, channels, profile=profile, cooldown_s=cooldown_s)
        self.asker = Asker()

    def start(self) -> None:
        """Begin to measure."""
        self.measurer.start()

    def stop(self) -> None:
        """Stop measuring, and answering."""
        self.asker.close()
        self.measurer.stop()
