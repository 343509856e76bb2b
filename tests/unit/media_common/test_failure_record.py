from pathlib import Path

import pytest

from media_common.failure_record import failure_of_death
from media_common.layout import failure_key
from media_common.local_store import LocalMediaStore

RECORD = {"eventId": "e-1", "reason": "rejected", "errorClass": "BadMedia", "message": "broken", "attempts": 1}


@pytest.mark.parametrize(
    ("event_id", "reason", "error"),
    [("e-1", "rejected", "BadMedia"), ("e-2", "rejected", None), ("e-1", "delivery_limit", None)],
)
def test_a_failure_belongs_to_one_death_of_one_event(
    event_id: str, reason: str, error: str | None, tmp_path: Path
) -> None:
    store = LocalMediaStore(tmp_path)
    store.put_json(failure_key("a-1", "subtitle"), RECORD)

    found = failure_of_death(store, "a-1", "subtitle", event_id=event_id, reason=reason)

    assert (found.error_class if found else None) == error


def test_no_failure_is_none(tmp_path: Path) -> None:
    assert failure_of_death(LocalMediaStore(tmp_path), "a-1", "subtitle", event_id="e", reason="rejected") is None
