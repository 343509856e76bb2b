"""Puts a job's outputs in place and commits them: once, whole, or not at all."""

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from media_common.claim import LEASE_S, Claim, ClaimLost
from media_common.content_types import content_type_of
from media_common.errors import JobCancelled, StoreUnavailable, ToolFailed
from media_common.layout import BOOKKEEPING, channel_prefix, claim_key, is_output_name, output_key, result_key
from media_common.media_store import MediaStore

#: Uploads under way at once: a film has thousands of segments, each a round trip to the store.
_UPLOADS_AT_ONCE = 8
#: Uploaded after what they list, so that a playlist never names a segment that is not there.
_PLAYLISTS = (".m3u8", ".mpd")

#: Waits, in seconds, before an upload is tried again: hours of work are not thrown away for a hiccup.
_PAUSES_S = (1.0, 4.0, 10.0)


@dataclass(frozen=True, slots=True)
class Output:
    """A file a job made. name: its path below the channel's folder; size in bytes."""

    name: str
    path: Path
    size: int

    @property
    def content_type(self) -> str:
        """The content type it is stored with."""
        return content_type_of(self.name)

    def described(self) -> dict[str, object]:
        """Give its entry in result.json."""
        return {"name": self.name, "size": self.size, "contentType": self.content_type}


def outputs_in(folder: Path) -> list[Output]:
    """List what a job left in its folder. Raises ToolFailed for what can be no output: links, empty files."""
    outputs = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        if path.is_symlink() or not path.is_file() or not is_output_name(name):
            raise ToolFailed(f"the work left {name!r}, which is no output")
        output = Output(name, path, path.stat().st_size)
        if output.size == 0:
            raise ToolFailed(f"the work left {name!r} empty")
        outputs.append(output)
    return outputs


class Commit:
    """The commit of one event's work by one channel on one asset."""

    def __init__(
        self, store: MediaStore, asset_id: str, channel: str, event_id: str, *, lease_s: float = LEASE_S
    ) -> None:
        self._store, self._asset_id, self._channel, self._event_id = store, asset_id, channel, event_id
        self._result_key, self._lease_s = result_key(asset_id, channel), lease_s

    def is_done(self) -> bool:
        """Tell whether this event's result is committed. One read; what makes a second delivery cheap."""
        result = self._store.get_json(self._result_key)
        return result is not None and result.get("eventId") == self._event_id

    def place(
        self, outputs: Iterable[Output], result: Mapping[str, Any], *, worker: str, cancelled: threading.Event
    ) -> bool:
        """Upload the outputs, then the result. False: another worker committed this event first.

        Raises StoreUnavailable, StoreFull, ClaimLost, JobCancelled: then nothing is committed.
        """
        outputs = list(outputs)
        claim = Claim(self._store, claim_key(self._asset_id, self._channel), worker, lease_s=self._lease_s)
        if not claim.acquire(self.is_done, cancelled):
            return False
        with claim:
            if self.is_done():  # committed between the last look and the claim
                return False
            if self._store.head(self._result_key) is not None:
                # An earlier event's: from here on the asset is in work again.
                self._store.delete(self._result_key)
            for is_playlist in (False, True):
                group = [output for output in outputs if output.name.endswith(_PLAYLISTS) is is_playlist]
                self._upload(group, claim, cancelled)
            self._remove_leftovers({output.name for output in outputs})
            claim.check()
            if self._put(result, durable=True):
                return True
            raise ClaimLost("another worker committed while this one held the claim")

    def record(self, result: Mapping[str, Any], *, durable: bool = True) -> bool:
        """Put the result, the commit point, where there are no outputs. False: was committed already."""
        if self._put(result, durable=durable):
            return True
        if self.is_done():
            return False
        self._store.delete(self._result_key)  # an earlier event's
        return self._put(result, durable=durable) or not self.is_done()

    def _put(self, result: Mapping[str, Any], *, durable: bool) -> bool:
        return self._store.put_json(self._result_key, result, if_absent=True, durable=durable)

    def _upload(self, outputs: list[Output], claim: Claim, cancelled: threading.Event) -> None:
        def put(output: Output) -> None:
            key = output_key(self._asset_id, self._channel, output.name)
            for pause_s in (*_PAUSES_S, None):
                claim.check()
                try:
                    self._store.put_file(key, output.path, output.content_type, consume=True)
                except StoreUnavailable:
                    if pause_s is None:
                        raise
                else:
                    return
                if cancelled.wait(pause_s):
                    raise JobCancelled("the job was told to stop")

        if not outputs:
            return
        pool = ThreadPoolExecutor(min(_UPLOADS_AT_ONCE, len(outputs)), thread_name_prefix="upload")
        try:
            for _ in pool.map(put, outputs):
                pass
        finally:
            pool.shutdown(cancel_futures=True)

    def _remove_leftovers(self, names: set[str]) -> None:
        """Remove what an earlier attempt had put there and died over."""
        prefix = channel_prefix(self._asset_id, self._channel)
        kept = names | BOOKKEEPING
        for key in [key for key in self._store.list_keys(prefix) if key.removeprefix(prefix) not in kept]:
            self._store.delete(key)
