"""What the unit tests of ingest share: a real local store, and a stand-in for the publisher."""

from concurrent.futures import Future
from functools import partial

import pytest

from ingest.adoption import Adoption
from ingest.asset_index import AssetIndex
from ingest.asset_records import complete_record
from ingest.batches import Batches
from ingest.channel_ages import ChannelAges
from ingest.door import Door
from ingest.idempotency import IdempotencyRecords
from ingest.outbox import Outbox
from ingest.relay import Relay
from ingest.relay_lease import RelayLease
from ingest.runtime import Runtime
from ingest.settings import IngestSettings
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from mq_common.channels_file import ChannelsFile
from mq_common.publisher import Outcome, OutgoingMessage


class StandInPublisher:
    """Answers every message with ``outcome`` and remembers it."""

    def __init__(self) -> None:
        self.ready = True
        self.outcome = Outcome.CONFIRMED
        self.sent: list[OutgoingMessage] = []

    def submit(self, message: OutgoingMessage) -> "Future[Outcome]":
        self.sent.append(message)
        future: Future[Outcome] = Future()
        future.set_result(self.outcome)
        return future

    def close(self) -> None: ...


@pytest.fixture
def store(tmp_path) -> MediaStore:
    return open_store(StoreSettings(store_url=f"file://{tmp_path}/store", store_fsync=False))


@pytest.fixture
def publisher() -> StandInPublisher:
    return StandInPublisher()


@pytest.fixture
def outbox(store) -> Outbox:
    return Outbox(store, accepts=True, max_entries=5)


@pytest.fixture
def patience_s() -> float:
    """Seconds for which a request waits for another one with the same key."""
    return 0.5


@pytest.fixture
def runtime(store, publisher, outbox, patience_s) -> Runtime:
    index = AssetIndex(store)
    relay = Relay(
        outbox,
        RelayLease(store),
        Batches(outbox, publisher, partial(complete_record, store, index), answer_limit_s=1),
        Adoption(outbox, patience_s=0),
        publisher,
    )
    return Runtime(
        settings=IngestSettings(allow_simulated=True),
        store=store,
        publisher=publisher,
        door=Door(publisher, files_at_once=2, outbox=outbox),
        channels=ChannelsFile(None, "media"),
        channel_ages=ChannelAges(store),
        index=index,
        idempotency=IdempotencyRecords(store, patience_s=patience_s),
        outbox=outbox,
        relay=relay,
    )
