from datetime import datetime, timedelta
from typing import Any

import pytest

from media_common.states import state_of

_RESULT: dict[str, Any] = {
    "eventId": "e1",
    "outputs": [{"name": "poster.jpg", "size": 9, "contentType": "image/jpeg"}],
    "details": {"tiles": 4},
    "attempt": 2,
    "startedAt": "2026-03-01T08:00:00.000Z",
    "finishedAt": "2026-03-01T08:00:05.000Z",
}
_FAILURE: dict[str, Any] = {
    "eventId": "e1",
    "reason": "rejected",
    "errorClass": "BadMedia",
    "message": "the file is empty",
    "permanent": True,
    "attempts": 1,
    "worker": "w1",
    "failedAt": "2026-03-01T08:00:04.000Z",
}


def _progress(updated_at: str) -> dict[str, Any]:
    return {"percent": 43.0, "step": "encoding", "attempt": 1, "startedAt": "x", "updatedAt": updated_at}


_BEFORE, _AFTER = _progress("2026-03-01T08:00:03.999Z"), _progress("2026-03-01T08:00:04.001Z")


@pytest.mark.parametrize(
    ("result", "failure", "progress", "state"),
    [
        (None, None, None, "queued"),
        (None, None, _BEFORE, "running"),
        (None, _FAILURE, None, "dead-lettered"),
        (None, _FAILURE, _BEFORE, "dead-lettered"),
        (None, _FAILURE, _AFTER, "running"),
        (_RESULT, None, _BEFORE, "done"),
        (_RESULT, _FAILURE, _AFTER, "done"),
        (None, {"failedAt": "rubbish"}, _BEFORE, "running"),
    ],
)
def test_a_result_is_the_last_word_and_a_failure_counts_until_work_begins_again(
    result: dict[str, Any] | None, failure: dict[str, Any] | None, progress: dict[str, Any] | None, state: str
) -> None:
    assert state_of("thumbnail", result, failure, progress).state == state


_LAST_WORD = _FAILURE | {"reason": "delivery_limit", "failedAt": "2026-03-01T08:00:03.000Z"}
_ON_LAST_DELIVERY = _AFTER | {"lastDelivery": True}


@pytest.mark.parametrize(
    ("failure", "progress", "seconds_later", "state"),
    [
        (_LAST_WORD, _ON_LAST_DELIVERY, 15, "running"),  # its worker still gives signs of life
        (_LAST_WORD, _ON_LAST_DELIVERY, 25, "dead-lettered"),
        (_LAST_WORD, None, 0, "dead-lettered"),  # it died before it could write any
        (_LAST_WORD, _AFTER | {"lastDelivery": False}, 3600, "running"),  # replayed, and a long step is under way
        (_FAILURE, _ON_LAST_DELIVERY, 3600, "running"),
        (None, _ON_LAST_DELIVERY, 3600, "running"),
    ],
)
def test_the_word_left_before_a_last_delivery_counts_once_its_worker_is_silent(
    failure: dict[str, Any] | None, progress: dict[str, Any] | None, seconds_later: int, state: str
) -> None:
    at = datetime.fromisoformat("2026-03-01T08:00:04.001+00:00") + timedelta(seconds=seconds_later)

    assert state_of("thumbnail", None, failure, progress, at=at).state == state


_REPLAY = {"eventId": "e1", "failedAt": _FAILURE["failedAt"], "replayedAt": "2026-03-01T08:05:00.000Z", "replays": 1}


@pytest.mark.parametrize(
    ("failure", "progress", "replay", "state"),
    [
        (_FAILURE, None, _REPLAY, "queued"),
        (_FAILURE, _BEFORE, _REPLAY, "queued"),
        (_FAILURE, _progress("2026-03-01T08:05:01.000Z"), _REPLAY, "running"),
        (_FAILURE | {"failedAt": "2026-03-01T08:06:00.000Z"}, _BEFORE, _REPLAY, "dead-lettered"),
        (_FAILURE | {"failedAt": "2026-03-01T08:03:00.000Z"}, _BEFORE, _REPLAY, "dead-lettered"),
        (_FAILURE | {"eventId": "e2"}, _BEFORE, _REPLAY, "dead-lettered"),
        ({"eventId": "e1"}, None, {"eventId": "e1"}, "dead-lettered"),
        (None, _BEFORE, _REPLAY, "running"),
    ],
)
def test_a_failure_whose_message_was_put_back_is_history_whatever_the_clocks_say(
    failure: dict[str, Any] | None, progress: dict[str, Any] | None, replay: dict[str, Any], state: str
) -> None:
    assert state_of("thumbnail", None, failure, progress, replay).state == state


def test_running_says_how_far() -> None:
    state = state_of("thumbnail", None, None, _BEFORE)

    assert (state.percent, state.step, state.attempt) == (43.0, "encoding", 1)


def test_done_lists_the_outputs() -> None:
    state = state_of("thumbnail", _RESULT, None, None)

    assert (state.percent, state.outputs, state.details) == (100.0, tuple(_RESULT["outputs"]), {"tiles": 4})
    assert (state.started_at, state.finished_at) == (_RESULT["startedAt"], _RESULT["finishedAt"])


def test_dead_lettered_says_why() -> None:
    state = state_of("thumbnail", None, _FAILURE, _BEFORE)

    assert state.error is not None
    assert state.error["message"] == "the file is empty"
    assert state.error["permanent"] is True
    assert (state.attempt, state.finished_at) == (1, _FAILURE["failedAt"])
