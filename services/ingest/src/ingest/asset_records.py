"""The record of an asset in the store: the event under which it was uploaded, written once.

``assets/<assetId>/asset.json`` is that of an asset with a file, and the one that counts where both are there;
``simulated/<assetId>`` is that of an asset without one, which is load and has to be cheap.
"""

import structlog

from ingest.asset_index import AssetIndex
from media_common import layout
from media_common.store import MediaStore
from mq_common.events import MediaEvent

log = structlog.get_logger()


def create_record(store: MediaStore, event: MediaEvent) -> bool:
    """Write the record of a new asset; False when the id is taken, in either form.

    Of two uploads of the same new id, one with a file and one without, at the same moment, each may find the other's
    record; then both are refused, and neither is there.
    """
    if event.source is None:
        return _create_simulated(store, event)
    key, other = layout.asset_key(event.asset_id), layout.simulated_key(event.asset_id)
    if store.exists(other):
        return False
    if not store.put_bytes(key, event.to_body(), content_type="application/json", if_absent=True, durable=True):
        return False
    if store.exists(other):
        store.delete(key)
        return False
    return True


def _create_simulated(store: MediaStore, event: MediaEvent) -> bool:
    key = layout.simulated_key(event.asset_id)
    if store.create_record(key, event.to_body()) is not None:
        return False
    if store.exists(layout.asset_key(event.asset_id)):
        store.delete(key)
        return False
    return True


def has_record(store: MediaStore, asset_id: str) -> bool:
    """Tell whether the id is taken."""
    return store.exists(layout.asset_key(asset_id)) or store.exists(layout.simulated_key(asset_id))


def read_record(store: MediaStore, asset_id: str) -> MediaEvent | None:
    """Give the event under which an asset was uploaded, None when there is no such asset."""
    body = store.get_bytes(layout.asset_key(asset_id)) or store.read_record(layout.simulated_key(asset_id))
    return MediaEvent.from_body(body) if body else None


def complete_record(store: MediaStore, index: AssetIndex, event: MediaEvent) -> bool:
    """Finish what a killed upload began: write the record if there is none. False: the asset is another event's.

    The file of the upload that came too late is removed then.
    """
    recorded = read_record(store, event.asset_id)
    if recorded is None:
        if create_record(store, event):
            index.note(event)
            log.info("record_completed", event_id=event.event_id, asset_id=event.asset_id)
            return True
        recorded = read_record(store, event.asset_id)
    if recorded is None or recorded.event_id == event.event_id:
        return True
    if event.source is not None and (recorded.source is None or recorded.source.key != event.source.key):
        store.delete(event.source.key)
    log.info("late_upload_dropped", event_id=event.event_id, asset_id=event.asset_id)
    return False
