"""What keeps an eye on the fleet: poller, feed and actions, put together once for the process."""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from prometheus_client import REGISTRY

from console.audit import Audit, AuditEntry
from console.control.fleet_control import FleetControl
from console.fleet.actions import ACTIONS, FleetActions
from console.fleet.broker_reader import BrokerReader
from console.fleet.feed import FleetFeed
from console.fleet.history_file import HistoryFile
from console.fleet.metrics import FleetCollector, count_look
from console.fleet.poller import Poller
from mq_common.channels import ChannelSpec
from mq_common.settings import BrokerSettings

#: Actions told with every look: those that the charts' fifteen minutes may hold.
_TOLD = 20


class Lookout:
    """The fleet as it is and was, and what can be done to it. ``start`` it after the fork."""

    def __init__(
        self,
        broker: BrokerSettings,
        control: FleetControl,
        channels: Callable[[], Mapping[str, ChannelSpec]],
        audit: Audit,
        *,
        viewers: int,
        state_dir: Path | None,
    ) -> None:
        self.feed = FleetFeed(viewers)
        self._audit = audit
        # The audit looks at the store while it is asked, so nobody asks it for pages that nobody has open.
        self.feed.add_to_events(lambda: self.told_actions() if self.feed.viewers else {})
        reader = BrokerReader(broker)
        self._poller = Poller(
            reader.read,
            control,
            channels,
            self.feed,
            file=HistoryFile(state_dir) if state_dir is not None else None,
            close=reader.close,
            on_look=count_look,
        )
        self.actions = FleetActions(control, audit, acted=self._poller.look_again)
        self._collector = FleetCollector(lambda: self.feed.look, lambda: self.feed.viewers)

    def told_actions(self) -> dict[str, Any]:
        """Give what operators did last, as it stands beside a look."""
        return {"actions": [_action(entry) for entry in self._audit.last(_TOLD, actions=ACTIONS)]}

    def start(self) -> None:
        """Begin to look, and tell Prometheus."""
        REGISTRY.register(self._collector)
        self._poller.start()

    def stop(self) -> None:
        """Stop looking, keep the history, and end every stream."""
        self._poller.stop()
        with contextlib.suppress(KeyError):
            REGISTRY.unregister(self._collector)


def _action(entry: AuditEntry) -> dict[str, Any]:
    return {
        "at": entry.at.timestamp(),
        "who": entry.who,
        "action": entry.action,
        "channel": entry.channel,
        "detail": entry.detail,
        "outcome": entry.outcome,
    }
