"""Since when there has been which channel: an asset from before it was never sent to it, and does not wait for it."""

from collections.abc import Iterable
from datetime import UTC, datetime

import structlog

from media_common.errors import StoreError
from media_common.media_store import MediaStore

log = structlog.get_logger()

_ALWAYS = datetime.min.replace(tzinfo=UTC)


class ChannelAges:
    """Keeps ``channels/<name>.json`` in the store, written once by whichever process sees the channel first."""

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._since: dict[str, datetime] = {}

    def note(self, channels: Iterable[str], since: datetime | None) -> None:
        """Write down channels that nobody has seen before; ``since``: when their file was changed (None: always)."""
        for name in channels:
            if name not in self._since:
                try:
                    self._since[name] = self._first_seen(name, since or _ALWAYS)
                except StoreError as error:  # then the channel counts for every asset, as if it had always been there
                    log.warning("channel_age_unknown", channel=name, error=str(error))

    def is_older(self, channel: str, moment: datetime) -> bool:
        """Tell whether there was the channel at that moment; yes when nothing is known of it."""
        return self._since.get(channel, _ALWAYS) <= moment

    def _first_seen(self, name: str, since: datetime) -> datetime:
        key = f"channels/{name}.json"
        if self._store.put_json(key, {"since": since.isoformat()}, if_absent=True):
            return since
        stored = self._store.get_json(key) or {}
        try:
            return datetime.fromisoformat(str(stored.get("since")))
        except ValueError:
            return _ALWAYS
