"""The place of one uploaded file while its bytes come in."""

from collections.abc import Iterable
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import structlog

from ingest.asset_records import has_record
from ingest.bodies import RequestBody, too_large
from ingest.file_names import clean_file_name
from ingest.intake import FileIntake, open_intake
from ingest.problems import EMPTY_UPLOAD, Problem
from ingest.runtime import Runtime
from media_common import layout
from media_common.errors import StoreError
from media_common.store import StoreWriter
from mq_common.events import MediaEvent, Source, new_event_id

log = structlog.get_logger()


class FileSlot:
    """Takes the bytes into the store, or only looks at them when the asset is there already.

    An id that the client chose may be in use by another upload at this moment, so its file gets a key of its own: what
    the first one stored is never overwritten, and the asset's record says which file is the asset's. Leaving the
    context without ``keep`` leaves nothing behind.
    """

    def __init__(self, runtime: Runtime, asset_id: str | None, key: str | None, content_type: str) -> None:
        self._store = runtime.store
        self._limit = runtime.settings.max_upload_bytes
        self._kept = False
        self._committed = False
        self._size = 0
        self._content_type = content_type
        self.event_id = new_event_id()
        self.asset_id = asset_id or new_event_id()
        #: Nobody else knows an id that was made here, so its folder can go with the file.
        self._own_id = asset_id is None
        source_key = layout.source_key(self.asset_id)
        self.source_key = f"{source_key}-{self.event_id}" if asset_id else source_key
        known = (key is not None and runtime.idempotency.find(key) is not None) or (
            asset_id is not None and has_record(self._store, asset_id)
        )
        self._writer: StoreWriter | None = None if known else self._store.writer(self.source_key, content_type)
        self._intake = open_intake(self._writer)

    @property
    def stores(self) -> bool:
        """False when the bytes are only compared with an upload that is there already."""
        return self._writer is not None

    def take(self, pieces: Iterable[bytes]) -> None:
        """Take the bytes as they come. Raises Problem 413 over the largest upload."""
        for piece in pieces:
            self._size += len(piece)
            if self._size > self._limit:
                raise too_large(self._limit)
            self._intake.take(piece)

    def take_body(self, body: RequestBody) -> None:
        """Take a whole body as the file, inside the kernel where it can be. Raises Problem as `RequestBody.pieces`."""
        body.refuse_over(self._limit)
        if isinstance(self._intake, FileIntake) and body.pours:
            self.take([body.take_ahead()])
            self._size += self._intake.take_poured(body)
        else:
            self.take(body.pieces(self._limit))

    def commit(self, file_name: str | None) -> Source:
        """Make the file appear in the store. Raises Problem 400 when there was not one byte."""
        if not self._size:
            raise Problem(EMPTY_UPLOAD, "The file has zero bytes. Was it read before it was written?")
        sha256 = self._intake.hexdigest()
        if self._writer is not None:
            self._writer.commit()
            self._committed = True
        return Source(
            key=self.source_key,
            size=self._size,
            sha256=sha256,
            content_type=self._content_type,
            file_name=clean_file_name(file_name),
        )

    def event(self, owner_id: str, duration_sec: float | None, source: Source) -> MediaEvent:
        """Give the event of this upload, of now."""
        return MediaEvent(
            event_id=self.event_id,
            asset_id=self.asset_id,
            owner_id=owner_id,
            duration_sec=duration_sec,
            uploaded_at=datetime.now(UTC),
            source=source,
        )

    def keep(self) -> None:
        """Leave the file in the store: it is the asset's."""
        self._kept = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._intake.close()
        # After a failing store nobody knows whether the asset's record was written: then a committed file stays.
        if self._kept or (self._committed and isinstance(error, StoreError)):
            return
        # The reason of the refusal must reach the client, whatever the store says to the clearing up.
        try:
            self._clear_up()
        except StoreError as failure:
            log.warning("upload_leftovers_kept", asset_id=self.asset_id, error=str(failure))

    def _clear_up(self) -> None:
        if self._writer is not None:
            self._writer.abort()
        if self._committed:
            self._store.delete(self.source_key)
        if self._own_id:
            self._store.delete_prefix(layout.asset_prefix(self.asset_id))
