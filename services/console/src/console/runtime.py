"""What every request needs, opened once after the fork."""

from dataclasses import dataclass

from console.assets.ingest_client import IngestClient
from console.audit import Audit
from console.control.fleet_control import FleetControl
from console.control.nothing_control import NothingControl
from console.dead_letters.area import DeadLetters
from console.fleet.lookout import Lookout
from console.planner.planning import Planning
from console.planner.settings import AutoscalerSettings
from console.settings import ConsoleSettings
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from mq_common.channels_file import ChannelsFile
from mq_common.settings import BrokerSettings, ChannelsSettings, load_settings


@dataclass(frozen=True)
class Runtime:
    """The settings, the store, the channels and what stands on them."""

    settings: ConsoleSettings
    broker: BrokerSettings
    channels: ChannelsFile
    store: MediaStore
    audit: Audit
    ingest: IngestClient
    control: FleetControl
    lookout: Lookout
    planning: Planning
    dead_letters: DeadLetters

    def start(self) -> None:
        """Start the threads that look at the fleet."""
        self.audit.start()
        self.lookout.start()
        self.planning.start()

    def close(self) -> None:
        """End the threads, and let the broker go."""
        self.planning.stop()
        self.dead_letters.close()
        self.lookout.stop()
        self.audit.close()
        self.ingest.close()


def open_runtime(
    settings: ConsoleSettings,
    store: StoreSettings,
    broker: BrokerSettings,
    channels: ChannelsSettings,
    control: FleetControl | None = None,
) -> Runtime:
    """Open the store and prepare the rest. Call it after the fork: threads do not survive one.

    Without `control` the fleet can be watched, not steered.
    Raises StoreError, ConfigurationError.
    """
    opened = open_store(store)
    file = ChannelsFile(channels.channels, channels.profile)
    audit = Audit(opened)
    control = control or NothingControl()
    lookout = Lookout(broker, control, file.current, audit, viewers=settings.viewers, state_dir=settings.state_dir)
    (autoscaler,) = load_settings(AutoscalerSettings)
    cooldown_s = autoscaler.fleet_cooldown_s
    return Runtime(
        settings=settings,
        broker=broker,
        channels=file,
        store=opened,
        audit=audit,
        ingest=IngestClient(settings.ingest_url),
        control=control,
        lookout=lookout,
        planning=Planning(control, lookout.feed, file.current, profile=channels.profile, cooldown_s=cooldown_s),
        dead_letters=DeadLetters(broker, file.current, opened, control, audit, depths=lookout.feed.dead_letters),
    )
