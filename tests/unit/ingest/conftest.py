"""What the unit tests of ingest share: a real local store, and a stand-in for the publisher."""

from concurrent.futures import Future

import pytest

from ingest.asset_index import AssetIndex
from ingest.channels_file import ChannelsFile
from ingest.door import Door
from ingest.idempotency import IdempotencyRecords
from ingest.runtime import Runtime
from ingest.settings import IngestSettings
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
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
def runtime(store, publisher) -> Runtime:
    return Runtime(
        settings=IngestSettings(allow_simulated=True),
        store=store,
        publisher=publisher,
        door=Door(publisher, files_at_once=2),
        channels=ChannelsFile(None, "media"),
        index=AssetIndex(store),
        idempotency=IdempotencyRecords(store, patience_s=0.5),
    )
