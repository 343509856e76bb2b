"""An asset's way through a channel, put together from the records it left."""

from typing import Any

import pytest

from media_common.failure_record import replays_in
from media_common.states import ChannelState, state_of
from media_common.timeline import timeline_of


def at(second: float) -> str:
    return f"2026-03-01T08:00:{second:06.3f}Z"


UPLOADED = at(0)
DONE = {"eventId": "e", "attempt": 1, "startedAt": at(1), "finishedAt": at(2)}


def _failed(second: float, attempt: int, **more: Any) -> dict[str, Any]:
    entry = {"what": "failed", "at": at(second), "startedAt": at(second - 0.5), "attempt": attempt}
    return entry | {"errorClass": "TransientError", "message": "503", "retryInSec": 0.5} | more


def _told(state: ChannelState, history: Any = (), replay: Any = None) -> list[tuple[str, str]]:
    return [(step.what, step.at) for step in timeline_of(UPLOADED, state, history, replay)]


def test_an_asset_that_waits_is_queued() -> None:
    assert _told(state_of("t", None, None, None)) == [("queued", UPLOADED)]


def test_an_asset_in_work_has_started() -> None:
    running = state_of("t", None, None, {"startedAt": at(1), "updatedAt": at(2), "attempt": 1})
    assert _told(running) == [("queued", UPLOADED), ("started", at(1))]


def test_a_job_done_at_the_second_try_tells_of_the_first_with_its_error_and_wait() -> None:
    done = state_of("t", DONE | {"attempt": 2, "startedAt": at(3), "finishedAt": at(4)}, None, None)
    steps = timeline_of(UPLOADED, done, [_failed(2.5, 1)], None)
    assert [(step.what, step.attempt) for step in steps] == [
        ("queued", None),
        ("started", 1),
        ("attempt-failed", 1),
        ("started", 2),
        ("done", 2),
    ]
    assert (steps[2].error_class, steps[2].message, steps[2].retry_in_s) == ("TransientError", "503", 0.5)


def test_what_was_given_up_ends_dead_lettered_once() -> None:
    failure = {"reason": "rejected", "errorClass": "BadMedia", "message": "no", "startedAt": at(1), "failedAt": at(2)}
    history = [_failed(2, 1, what="gave-up", startedAt=at(1), reason="rejected", retryInSec=None)]
    told = _told(state_of("t", None, failure, None), history)
    assert told == [("queued", UPLOADED), ("started", at(1)), ("dead-lettered", at(2))]
    assert _told(state_of("t", None, failure, None)) == told  # written by an older worker, without a history


def test_each_replay_and_the_death_before_it_are_told() -> None:
    replay = {"failedAt": at(6), "replays": 2, "replayedAt": at(7)}
    replay["earlier"] = [{"failedAt": at(2), "replays": 1, "replayedAt": at(3)}]
    history = [_failed(6, 1, what="gave-up")]
    done = state_of("t", DONE | {"startedAt": at(8), "finishedAt": at(9)}, None, None)
    assert _told(done, history, replay) == [
        ("queued", UPLOADED),
        ("dead-lettered", at(2)),  # its worker died: only the replay knows of it
        ("replayed", at(3)),
        ("started", at(5.5)),
        ("dead-lettered", at(6)),
        ("replayed", at(7)),
        ("started", at(8)),
        ("done", at(9)),
    ]


def test_a_message_that_came_back_says_so_before_the_run_that_took_it() -> None:
    history = [{"what": "delivered-again", "at": at(1), "delivery": 3, "worker": "w"}]
    steps = timeline_of(UPLOADED, state_of("t", DONE, None, None), history, None)
    assert [(step.what, step.delivery) for step in steps[1:3]] == [("delivered-again", 3), ("started", None)]


def test_the_upload_comes_first_whatever_the_workers_clock_says() -> None:
    early = state_of("t", DONE | {"startedAt": "2026-03-01T07:59:59.000Z"}, None, None)
    assert _told(early)[0] == ("queued", UPLOADED)


@pytest.mark.parametrize("entry", [{}, {"what": "exploded", "at": at(1)}])
def test_entries_of_a_newer_version_are_left_out(entry: dict[str, Any]) -> None:
    assert _told(state_of("t", None, None, None), [entry]) == [("queued", UPLOADED)]


@pytest.mark.parametrize(
    "note", [None, {}, {"earlier": "x", "replayedAt": at(1)}, {"earlier": [1], "replayedAt": at(1)}]
)
def test_a_note_of_replays_is_read_with_care(note: Any) -> None:
    assert len(replays_in(note)) == (1 if note else 0)
