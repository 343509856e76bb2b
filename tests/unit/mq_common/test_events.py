"""The event on the wire: what it looks like, and what is refused."""

import contextlib
import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common.errors import InvalidEvent
from mq_common.events import MAX_BODY_BYTES, MediaEvent, Source
from mq_common.messages import event_message

GOOD: dict[str, Any] = {
    "eventId": "e-1",
    "assetId": "demo-001",
    "ownerId": "u-1",
    "durationSec": 120,
    "uploadedAt": "2026-01-02T03:04:05Z",
    "source": None,
}


def test_an_event_survives_the_wire_with_camel_case_keys() -> None:
    source = Source(key="assets/a/source", size=7, sha256="0" * 64, content_type="video/mp4", file_name="ferien.mp4")
    event = MediaEvent.create(asset_id="a", owner_id="u", duration_sec=1.5, source=source)

    body = event.to_body()

    assert MediaEvent.from_body(body) == event
    assert set(json.loads(body)) == set(GOOD)
    assert set(json.loads(body)["source"]) == {"key", "size", "sha256", "contentType", "fileName"}


def test_event_ids_are_uuid7_and_sort_by_time() -> None:
    ids = [MediaEvent.create(asset_id="a", owner_id="u").event_id for _ in range(50)]

    assert ids == sorted(ids)
    assert {UUID(each).version for each in ids} == {7}


def test_unknown_fields_are_ignored() -> None:
    body = json.dumps({**GOOD, "addedTomorrow": {"x": 1}}).encode()

    assert MediaEvent.from_body(body).asset_id == "demo-001"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"\xff\xfe{}",
        b"[" * 10_000,
        b'{"a":' * 10_000,
        json.dumps({**GOOD, "durationSec": float("nan")}).encode(),
        json.dumps({**GOOD, "durationSec": float("inf")}).encode(),
        json.dumps({**GOOD, "durationSec": -1}).encode(),
        json.dumps({**GOOD, "assetId": "../etc"}).encode(),
        json.dumps({**GOOD, "assetId": ""}).encode(),
        json.dumps({**GOOD, "assetId": "x" * 129}).encode(),
        json.dumps({**GOOD, "ownerId": 7}).encode(),
        json.dumps({**GOOD, "uploadedAt": "yesterday"}).encode(),
        json.dumps({**GOOD, "uploadedAt": "2026-01-02T03:04:05"}).encode(),
        json.dumps({**GOOD, "source": {"key": "k"}}).encode(),
        json.dumps({name: value for name, value in GOOD.items() if name != "eventId"}).encode(),
        b" " * (MAX_BODY_BYTES + 1),
    ],
    ids=lambda body: body[:24].decode("latin-1") or "empty",
)
def test_a_bad_body_is_a_permanent_error_with_one_line(body: bytes) -> None:
    with pytest.raises(InvalidEvent) as refused:
        MediaEvent.from_body(body)

    assert "\n" not in str(refused.value)


@given(st.binary(max_size=400))
def test_no_bytes_whatever_raise_anything_but_invalid_event(body: bytes) -> None:
    with contextlib.suppress(InvalidEvent):
        MediaEvent.from_body(body)


def test_the_message_is_persistent_and_carries_cloudevents_and_the_trace() -> None:
    event = MediaEvent.create(asset_id="a", owner_id="u")
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    message = event_message(event, trace)

    assert (message.exchange, message.routing_key) == ("media.topic", "media.all")
    assert message.properties.delivery_mode == 2
    assert message.properties.message_id == event.event_id
    assert message.properties.type == "media.uploaded"
    assert message.properties.content_type == "application/json"
    assert message.properties.headers["traceparent"] == trace
    assert message.properties.headers["cloudEvents:id"] == event.event_id
    assert message.properties.headers["cloudEvents:specversion"] == "1.0"
