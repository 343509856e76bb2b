"""An asset's way through a channel as parts of an axis of time."""

from datetime import UTC, datetime, timedelta

import pytest

from console.assets.way import axis_s, ticks, way_of

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def _event(name, second, **details):
    at = (START + timedelta(seconds=second)).isoformat().replace("+00:00", "Z")
    return {"event": name, "at": at} | details


def _spans(events, now=100.0):
    way = way_of(events, now=START + timedelta(seconds=now))
    return [(span.kind, span.start_s, span.end_s) for span in way.spans]


def test_a_job_done_at_once_waited_and_worked():
    events = [_event("queued", 0), _event("started", 2), _event("done", 5)]
    assert _spans(events) == [("waiting", 0, 2), ("running", 2, 5)]


def test_a_failed_attempt_is_followed_by_a_pause():
    events = [_event("queued", 0), _event("started", 0), _event("attempt-failed", 1), _event("started", 3)]
    assert _spans([*events, _event("done", 4)]) == [("running", 0, 1), ("pausing", 1, 3), ("running", 3, 4)]


def test_what_still_waits_or_runs_grows_until_now():
    assert _spans([_event("queued", 0)], now=7) == [("waiting", 0, 7)]
    assert _spans([_event("queued", 0), _event("started", 1)], now=7) == [("waiting", 0, 1), ("running", 1, 7)]
    assert way_of([_event("queued", 0)], now=START).live


def test_a_dead_letter_lies_there_until_it_is_put_back():
    events = [_event("queued", 0), _event("started", 1), _event("dead-lettered", 2)]
    assert _spans(events, now=50)[-1] == ("running", 1, 2)
    assert not way_of(events, now=START).live
    replayed = [*events, _event("replayed", 40), _event("started", 41), _event("done", 42)]
    assert _spans(replayed)[2:] == [("dead", 2, 40), ("waiting", 40, 41), ("running", 41, 42)]


def test_clocks_that_disagree_give_nothing_before_the_upload():
    way = way_of([_event("queued", 0), _event("started", -3), _event("done", 1)], now=START)
    assert [happening.after_s for happening in way.happenings] == [0, 0, 1]


def test_an_event_of_a_newer_ingest_is_told_without_a_part():
    way = way_of([_event("queued", 0), _event("paused", 1), _event("done", 2)], now=START)
    assert [happening.event for happening in way.happenings] == ["queued", "paused", "done"]
    assert [span.kind for span in way.spans] == ["waiting"]


def test_the_axis_holds_every_way_and_grows_while_one_does():
    done = way_of([_event("queued", 0), _event("started", 1), _event("done", 5)], now=START)
    waits = way_of([_event("queued", 0)], now=START)
    assert axis_s([done], now_s=99) == 5
    assert axis_s([done, waits], now_s=99) == 99
    assert axis_s([], now_s=0) > 0


@pytest.mark.parametrize("length", [0.001, 0.04, 0.9, 1, 7.3, 42, 61, 3599, 86400, 30 * 86400, 4e7])
def test_ticks_are_few_round_and_within_the_axis(length):
    marks = ticks(length)
    assert marks[0] == 0
    assert 1 <= len(marks) <= 6
    assert marks[-1] <= length
