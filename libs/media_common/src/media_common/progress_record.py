"""Writes down how far a job is, often enough to look at and not more."""

import time
from collections.abc import Callable, Mapping

import structlog

from media_common.errors import StoreError
from media_common.media_store import MediaStore
from media_common.timestamps import now

#: Seconds between two writes.
INTERVAL_S = 1.0
#: Per cent between two log lines.
_LOG_STEP = 10.0


class ProgressRecord:
    """progress.json of one run of a job. fields: what stays the same in it, in the store's spelling."""

    def __init__(
        self,
        store: MediaStore,
        key: str,
        fields: Mapping[str, object],
        log: structlog.typing.FilteringBoundLogger,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._key, self._fields, self._log, self._clock = store, key, fields, log, clock
        self._written_at = float("-inf")
        self._percent: float | None = None
        self._step: str | None = None
        self._logged: tuple[float, str | None] = (0.0, None)

    def update(self, percent: float | None, step: str | None = None) -> None:
        """Say how far the job is, 0-100, and at what. Cheap: most calls write nothing.

        A store that does not take it is no reason to stop the work: the commit will say so.
        """
        if self._clock() - self._written_at < INTERVAL_S:
            return
        self._written_at = self._clock()
        self._percent = None if percent is None else round(min(100.0, max(0.0, percent)), 1)
        self._step = step
        self.write()
        self._say(self._percent or 0.0, step)

    def write(self) -> None:
        """Write the record as it stands, with the present time: a sign of life."""
        moment = {"percent": self._percent, "step": self._step, "updatedAt": now()}
        record = {**self._fields, "state": "running", **moment}
        try:
            self._store.put_json(self._key, record)
        except StoreError as error:
            self._log.warning("progress_not_stored", error=str(error))

    def _say(self, percent: float, step: str | None) -> None:
        logged_percent, logged_step = self._logged
        if percent - logged_percent >= _LOG_STEP or step != logged_step:
            self._logged = (percent, step)
            self._log.info("job_progress", percent=percent, step=step)
