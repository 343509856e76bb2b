"""Why workers gave up, from the store; the console reads it and marks nothing."""

from collections.abc import Sequence

from media_common.errors import StoreError
from media_common.failure_record import failure_of_death
from media_common.store import MediaStore
from mq_common.dead_letter_records import RecordsUnavailable
from mq_common.dead_letters import DeadLetter, GaveUp


class StoreReasons:
    """One channel's failures; satisfies ``mq_common.dead_letter_records.Records`` for looks."""

    def __init__(self, store: MediaStore, channel: str) -> None:
        self._store, self._channel = store, channel

    @property
    def near(self) -> bool:
        """See ``Records.near``."""
        return self._store.near

    def find(self, letters: Sequence[DeadLetter]) -> list[GaveUp | None]:
        """Read why a worker gave up on each. Raises RecordsUnavailable."""
        try:
            return [self._find(letter) for letter in letters]
        except (StoreError, OSError) as error:
            raise RecordsUnavailable(str(error)) from error

    def replayed(self, letters: Sequence[DeadLetter]) -> None:
        """Do nothing: a look puts nothing back."""

    def _find(self, letter: DeadLetter) -> GaveUp | None:
        if (event := letter.event) is None:
            return None
        reason = letter.history.reason
        record = failure_of_death(self._store, event.asset_id, self._channel, event_id=event.event_id, reason=reason)
        if record is None:
            return None
        return GaveUp(record.error_class, record.message, record.attempts, record.worker, record.failed_at)
