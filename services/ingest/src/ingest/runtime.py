"""What every request needs, opened once in each worker process."""

import time
from dataclasses import dataclass
from functools import partial

from ingest.adoption import Adoption
from ingest.arrivals import Arrivals
from ingest.asset_index import AssetIndex
from ingest.asset_records import complete_record
from ingest.back_pressure import BackPressure
from ingest.batches import Batches
from ingest.channel_ages import ChannelAges
from ingest.door import DOOR_WAIT_S, Door
from ingest.idempotency import IdempotencyRecords
from ingest.late_topology import LateTopology
from ingest.outbox import Outbox
from ingest.relay import Relay
from ingest.relay_lease import RelayLease
from ingest.settings import IngestSettings, OutboxSettings
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from mq_common.channels_file import ChannelsFile
from mq_common.errors import ConfigurationError
from mq_common.publisher import ConfirmingPublisher
from mq_common.ready_messages import ReadyMessages
from mq_common.settings import BrokerSettings, ChannelsSettings

#: Threads of a worker that no file upload may take.
THREADS_FOR_OTHERS = 4

#: The publisher looks for expired messages ten times a second, so an answer may come this much later.
_EXPIRY_SLACK_S = 0.2

#: Seconds a starting process waits for its connection when uploads may wait for the broker too.
_START_PATIENCE_S = 2.0

#: An upload that lives has ended its announcement within the publish limit; so much later it is taken for dead.
_INTENT_SLACK_S = 3.0


@dataclass(frozen=True)
class Runtime:
    """The store, the publisher and what stands on them."""

    settings: IngestSettings
    store: MediaStore
    publisher: ConfirmingPublisher
    door: Door
    channels: ChannelsFile
    channel_ages: ChannelAges
    index: AssetIndex
    idempotency: IdempotencyRecords
    outbox: Outbox
    relay: Relay
    back_pressure: BackPressure | None = None
    late_topology: LateTopology | None = None

    def start(self) -> None:
        """Start the relay and connect to the broker; waits a moment, so that the first requests find it there."""
        self.relay.start()
        if self.back_pressure is not None:
            self.back_pressure.start()
        if self.late_topology is not None:
            return  # the relay connects once the topology is declared
        self.publisher.start()
        deadline = time.monotonic() + (_START_PATIENCE_S if self.outbox.accepts else self.settings.publish_limit_s)
        while not self.publisher.ready and time.monotonic() < deadline:
            time.sleep(0.01)

    def close(self) -> None:
        """Write down what is still in memory, and let the broker answer what is on its way."""
        self.relay.close()
        self.index.close()
        if self.back_pressure is not None:
            self.back_pressure.close()
        self.publisher.close()


def prepare_back_pressure(settings: IngestSettings, broker: BrokerSettings) -> BackPressure | None:
    """Make what the worker processes share, before the fork; None where no capacity is set.

    Raises ConfigurationError where the queues could not be found.
    """
    if settings.capacity is None:
        return None
    if broker.management_url is None:
        raise ConfigurationError(
            "MEDIAFLOW_MANAGEMENT_URL: not set, but MEDIAFLOW_INGEST_CAPACITY is; the queues are found there"
        )
    depths = ReadyMessages(broker, name="mediaflow ingest depths")
    return BackPressure(
        depths.read,
        capacity=settings.capacity,
        high_water=settings.high_water,
        interval_s=settings.depth_poll_s,
        arrivals=Arrivals(),
        close=depths.close,
    )


def open_runtime(
    settings: IngestSettings,
    store: StoreSettings,
    broker: BrokerSettings,
    channels: ChannelsSettings,
    *,
    outbox: OutboxSettings,
    back_pressure: BackPressure | None = None,
    late_topology: LateTopology | None = None,
) -> Runtime:
    """Open the store and prepare the publisher. Call it after the fork: neither survives one."""
    opened = open_store(store)
    publisher = ConfirmingPublisher(
        broker,
        name="mediaflow ingest",
        confirm_timeout=settings.publish_limit_s - DOOR_WAIT_S - _EXPIRY_SLACK_S,
    )
    index = AssetIndex(opened)
    kept = Outbox(opened, accepts=outbox.outbox == "on", max_entries=outbox.outbox_max_entries)
    idempotency = IdempotencyRecords(opened, patience_s=settings.publish_limit_s)
    return Runtime(
        settings=settings,
        store=opened,
        publisher=publisher,
        door=Door(
            publisher,
            files_at_once=max(1, settings.threads - THREADS_FOR_OTHERS),
            outbox=kept,
            back_pressure=back_pressure,
            is_announced=idempotency.is_announced,
        ),
        channels=ChannelsFile(channels.channels, channels.profile),
        channel_ages=ChannelAges(opened),
        index=index,
        idempotency=idempotency,
        outbox=kept,
        relay=Relay(
            kept,
            RelayLease(opened),
            Batches(kept, publisher, partial(complete_record, opened, index), answer_limit_s=settings.publish_limit_s),
            Adoption(kept, patience_s=settings.publish_limit_s + _INTENT_SLACK_S),
            publisher,
            prepare=lambda: _declared(late_topology, publisher),
        ),
        back_pressure=back_pressure,
        late_topology=late_topology,
    )


def _declared(topology: LateTopology | None, publisher: ConfirmingPublisher) -> bool:
    """Declare what could not be declared at the start, and connect after it; False while there is no broker."""
    if topology is None:
        return True
    declared = topology.declare()
    if declared:
        publisher.start()
    return declared
