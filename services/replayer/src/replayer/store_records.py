"""What the media store keeps beside dead letters: why a worker gave up, and that a message was put back."""

from collections.abc import Sequence
from functools import cached_property

from media_common.errors import StoreError
from media_common.failure_record import failure_of_death, mark_replayed
from media_common.settings import StoreSettings
from media_common.store import MediaStore, open_store
from mq_common.dead_letter_records import RecordsUnavailable
from mq_common.dead_letters import DeadLetter, GaveUp


class StoreRecords:
    """One channel's failures in the store; satisfies ``mq_common.dead_letter_records.Records``."""

    def __init__(self, settings: StoreSettings, channel: str) -> None:
        self._settings, self._channel = settings, channel

    @cached_property
    def _store(self) -> MediaStore:
        return open_store(self._settings)

    @property
    def near(self) -> bool:
        """See ``Records.near``; a store that can't be opened is far away."""
        try:
            return self._store.near
        except (StoreError, OSError):
            return False

    def find(self, letters: Sequence[DeadLetter]) -> list[GaveUp | None]:
        """Read why a worker gave up on each; None where the store knows of another event's failure only."""
        try:
            return [self._find(letter) for letter in letters]
        except (StoreError, OSError) as error:
            raise RecordsUnavailable(str(error)) from error

    def replayed(self, letters: Sequence[DeadLetter]) -> None:
        """Note for each that its failure is history, so that its asset counts as queued again."""
        try:
            for letter in letters:
                if letter.event is not None and letter.gave_up is not None:
                    mark_replayed(
                        self._store,
                        letter.event.asset_id,
                        self._channel,
                        event_id=letter.event.event_id,
                        failed_at=letter.gave_up.failed_at,
                        replays=letter.history.replays + 1,
                    )
        except (StoreError, OSError) as error:
            raise RecordsUnavailable(str(error)) from error

    def _find(self, letter: DeadLetter) -> GaveUp | None:
        if letter.event is None:
            return None
        event, reason = letter.event, letter.history.reason
        record = failure_of_death(self._store, event.asset_id, self._channel, event_id=event.event_id, reason=reason)
        if record is None:
            return None
        return GaveUp(record.error_class, record.message, record.attempts, record.worker, record.failed_at)
