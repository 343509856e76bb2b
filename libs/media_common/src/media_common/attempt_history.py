"""What went wrong on the way to a result (attempts.json): tries that failed, runs that were broken off.

Written when it happens, so it outlives the worker; a job that succeeds at once writes nothing here. It is for people to
read: two workers that write at the same moment may lose one of the two entries, and nothing is decided by it.
"""

from collections.abc import Mapping
from typing import Any, Literal

import structlog

from media_common.errors import StoreError
from media_common.layout import attempts_key
from media_common.media_store import MediaStore

#: Latest entries that are kept for a channel's work on an asset.
KEPT = 40

#: Characters of an error's text that are kept.
_MESSAGE_CHARS = 500

What = Literal["failed", "gave-up", "interrupted", "delivered-again"]

_logger = structlog.get_logger()


def note_attempt(store: MediaStore, asset_id: str, channel: str, what: What, at: str, **fields: object) -> None:
    """Add an entry, in the store's spelling: attempt, startedAt, errorClass, message, permanent, retryInSec, worker.

    ``at``: RFC 3339. A store that does not take it is logged, not raised: the work goes on.
    """
    entry = {"what": what, "at": at} | {name: _short(value) for name, value in fields.items() if value is not None}
    try:
        history = [*read_attempts(store, asset_id, channel), entry][-KEPT:]
        store.put_json(attempts_key(asset_id, channel), {"attempts": history})
    except StoreError as error:
        _logger.warning("attempt_not_noted", asset_id=asset_id, channel=channel, error=str(error))


def read_attempts(store: MediaStore, asset_id: str, channel: str) -> list[Mapping[str, Any]]:
    """Give the entries, oldest first. Raises StoreUnavailable."""
    history = (store.get_json(attempts_key(asset_id, channel)) or {}).get("attempts")
    return [entry for entry in history if isinstance(entry, dict)] if isinstance(history, list) else []


def _short(value: object) -> object:
    return value[:_MESSAGE_CHARS] if isinstance(value, str) else value
