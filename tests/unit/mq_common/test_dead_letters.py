from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pika
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common.dead_letters import DeadLetter, DeathHistory, read_history, replay_headers
from mq_common.events import MediaEvent

DIED = datetime(2026, 3, 1, 8, 0, 4, tzinfo=UTC)
DEATH = {"count": 1, "reason": "rejected", "queue": "media.subtitle", "time": DIED.replace(tzinfo=None)}
#: What the broker adds to a rejected message, and what its publisher had written.
HEADERS = {
    "x-death": [DEATH],
    "x-first-death-reason": "rejected",
    "x-first-death-queue": "media.subtitle",
    "x-last-death-reason": "rejected",
    "x-delivery-count": 2,
    "x-acquired-count": 3,
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "cloudEvents:id": "e-1",
}


@pytest.mark.parametrize(
    ("headers", "reason", "died_at"),
    [
        (HEADERS, "rejected", DIED),
        ({"x-death": [{"reason": "delivery_limit", "time": DIED}]}, "delivery_limit", DIED),
        ({"x-death": [{"reason": "delivery_limit", "time": DIED}, DEATH]}, "delivery_limit", DIED),
        ({"x-last-death-reason": "expired"}, "expired", None),
        ({"x-death": []}, "unknown", None),
        ({"x-death": "rubbish"}, "unknown", None),
        ({"x-death": ["rubbish"]}, "unknown", None),
        ({"x-death": [{"reason": 7, "time": "yesterday"}]}, "unknown", None),
        ({}, "unknown", None),
        (None, "unknown", None),
    ],
)
def test_the_latest_death_is_the_first_entry_of_x_death(
    headers: dict[str, Any] | None, reason: str, died_at: datetime | None
) -> None:
    history = read_history(headers)

    assert (history.reason, history.died_at, history.replays) == (reason, died_at, 0)


@pytest.mark.parametrize(
    ("count", "replays"),
    [(0, 0), (2, 2), (-1, 0), (True, 0), ("3", 0), (None, 0), (1 << 62, 1_000_000), (2.5, 0)],
)
def test_a_replay_count_that_is_none_counts_as_never(count: object, replays: int) -> None:
    assert read_history({"replay-count": count}).replays == replays


def test_a_replay_counts_itself_and_keeps_when_and_why_it_began() -> None:
    assert replay_headers(read_history(HEADERS), "run-1") == {
        "replay-count": 1,
        "first-failed-at": "2026-03-01T08:00:04Z",
        "original-reason": "rejected",
        "replay-run": "run-1",
    }


def test_the_first_failure_is_remembered_over_all_replays() -> None:
    once = replay_headers(read_history(HEADERS), "run-1")
    later = DIED + timedelta(hours=1)
    died_again = once | {
        "x-death": [{"reason": "delivery_limit", "time": later}],
        "x-first-death-reason": "delivery_limit",
    }

    history = read_history(died_again)
    twice = replay_headers(history, "run-2")

    assert history == DeathHistory("delivery_limit", later, 1, DIED, "rejected", "run-1")
    assert twice == once | {"replay-count": 2, "replay-run": "run-2"}


def test_an_age_is_never_negative_and_unknown_without_a_death() -> None:
    history = read_history(HEADERS)

    assert history.age_s(DIED + timedelta(seconds=90)) == 90
    assert history.age_s(DIED - timedelta(seconds=90)) == 0
    assert read_history({}).age_s(DIED) is None


def test_a_body_that_does_not_parse_says_itself_what_is_wrong() -> None:
    letter = DeadLetter.read(1, pika.BasicProperties(headers=HEADERS), b"{")

    assert (letter.asset_id, letter.error_class) == (None, "InvalidEvent")
    assert letter.history.reason == "rejected"


@pytest.mark.parametrize(
    ("message_id", "body", "known_as"),
    [
        ("m-1", b"no event", "m-1"),
        (None, b"no event", None),
        ("", b"no event", None),
        (
            "m-1",
            MediaEvent.create(asset_id="a-1", owner_id="u").model_copy(update={"event_id": "e-1"}).to_body(),
            "e-1",
        ),
    ],
)
def test_a_message_is_known_by_its_event_and_else_by_what_its_publisher_called_it(
    message_id: str | None, body: bytes, known_as: str | None
) -> None:
    assert DeadLetter.read(1, pika.BasicProperties(message_id=message_id), body).event_id == known_as


def test_an_event_tells_its_asset_and_no_error() -> None:
    event = MediaEvent.create(asset_id="a-1", owner_id="u")
    letter = DeadLetter.read(1, pika.BasicProperties(), event.to_body())

    assert (letter.asset_id, letter.error_class) == ("a-1", None)


def test_a_message_goes_back_to_one_queue_only_and_keeps_its_other_properties() -> None:
    sent = pika.BasicProperties(
        headers=HEADERS | {"CC": ["media.thumbnail"], "BCC": ["media.transcode"]},
        message_id="m-1",
        user_id="stranger",
        delivery_mode=2,
        type="media.uploaded",
        timestamp=1234,
    )

    again = DeadLetter.read(1, sent, b"body").again("media.subtitle", "run-1")
    properties = pika.BasicProperties()
    properties.decode(b"".join(again.properties.encode()))

    assert (again.exchange, again.routing_key, again.body) == ("", "media.subtitle", b"body")
    assert set(properties.headers) == {
        "traceparent", "cloudEvents:id", "replay-count", "first-failed-at", "original-reason", "replay-run",
    }  # fmt: skip
    assert again.properties.message_id == "m-1"
    assert (properties.message_id, properties.type, properties.timestamp) == (
        "m-1",
        "media.uploaded",
        1234,
    )
    assert properties.headers["traceparent"] == HEADERS["traceparent"]
    assert properties.user_id is None


_zones = st.sampled_from([None, UTC, timezone(timedelta(hours=14)), timezone(-timedelta(hours=14))])
_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=20)
    | st.datetimes(timezones=_zones),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["reason", "time", "x"]), inner),
    max_leaves=8,
)
_names = st.sampled_from([*HEADERS, "replay-count", "first-failed-at", "original-reason", "replay-run", "mine"])


@given(st.none() | st.dictionaries(_names, _values))
def test_whatever_the_headers_hold_a_history_is_read_and_a_replay_counts_one_more(headers: dict[str, Any]) -> None:
    history = read_history(headers)
    again = read_history(replay_headers(history, "run"))

    assert again.replays == min(history.replays + 1, 1_000_000)
    assert again.original_reason == history.original_reason
    assert again.first_failed_at == history.first_failed_at
    assert again.reason == "unknown"
