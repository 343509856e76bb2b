"""The state of an asset whose worker dies on the message's last delivery: nobody is left to say it afterwards.

The broker then moves the message to the dead-letter queue, and no worker hears of it. So the record of that end is
written before the work begins, and counts only once the worker's beats have stopped.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from media_common.errors import StoreError
from media_common.layout import failure_key
from media_common.media_store import MediaStore
from media_common.progress_record import ProgressRecord
from media_common.timestamps import now

#: Seconds between two signs of life of a job on its last delivery.
BEAT_S = 5.0
#: Seconds without a sign of life after which the worker counts as dead.
SILENT_AFTER_S = 4 * BEAT_S

#: The broker's own word for this way into the dead-letter queue.
REASON = "delivery_limit"

_logger = structlog.get_logger()


@contextmanager
def last_delivery(
    store: MediaStore, asset_id: str, channel: str, progress: ProgressRecord, *, event_id: str, worker: str
) -> Iterator[None]:
    """Leave word for the case that this process dies in the body; whoever leaves the body alive takes it back.

    progress: the record that is kept fresh meanwhile.
    """
    key = failure_key(asset_id, channel)
    _leave_word(store, key, _word(event_id, channel, worker))
    ended = threading.Event()
    beat = threading.Thread(target=_beat, args=(progress, ended), name="last-delivery", daemon=True)
    beat.start()
    try:
        yield
    finally:
        ended.set()
        beat.join()
        _take_back(store, key)


def _beat(progress: ProgressRecord, ended: threading.Event) -> None:
    progress.write()
    while not ended.wait(BEAT_S):
        progress.write()


def _word(event_id: str, channel: str, worker: str) -> dict[str, object]:
    return {
        "eventId": event_id,
        "channel": channel,
        "reason": REASON,
        "errorClass": "WorkerLost",
        "message": "Every worker that had this message died or lost its connection before the work was done. Look at "
        "the workers' memory limits, evictions and restarts, then replay it.",
        "permanent": False,
        "worker": worker,
        "failedAt": now(),
    }


def _leave_word(store: MediaStore, key: str, word: dict[str, object]) -> None:
    try:
        store.put_json(key, word, durable=True)
    except StoreError as error:
        _logger.warning("last_word_not_stored", key=key, error=str(error))
    _logger.warning(
        "last_delivery",
        event_id=word["eventId"],
        channel=word["channel"],
        tip="the workers that had this message before died or lost their connection; so may this one",
    )


def _take_back(store: MediaStore, key: str) -> None:
    try:
        store.delete(key)
    except StoreError as error:
        _logger.warning("last_word_not_removed", key=key, error=str(error))
