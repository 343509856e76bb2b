"""The short way to read properties says yes only where the long way would."""

from typing import Any

import pika
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common._usual_properties import are_usual
from mq_common.errors import InvalidEvent
from mq_common.events import EVENT_TYPE, MediaEvent
from mq_common.messages import event_message, event_of

EVENT = MediaEvent.create(asset_id="a", owner_id="u")
VERSION = "cloudEvents:specversion"


def wire_of(**changed: Any) -> bytes:
    properties = event_message(EVENT).properties
    for name, value in changed.items():
        setattr(properties, name, value)
    return b"".join(properties.encode())


@pytest.mark.parametrize("traceparent", [None, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])
def test_what_our_publisher_writes_is_usual(traceparent: str | None) -> None:
    assert are_usual(b"".join(event_message(EVENT, traceparent).properties.encode()))


def test_it_does_not_matter_in_which_order_a_broker_puts_the_headers() -> None:
    headers = event_message(EVENT).properties.headers

    assert are_usual(wire_of(headers=dict(sorted(headers.items()))))
    assert are_usual(wire_of(headers=dict(reversed(headers.items()))))


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "media.deleted"},
        {"type": f"x\x0e{EVENT_TYPE}"},
        {"type": None},
        {"content_encoding": "gzip"},
        {"content_type": "text/plain"},
        {"headers": {VERSION: "2.0", "other": f"\x17{VERSION}S\x00\x00\x00\x031.0"}},
        {"headers": {"first": 1, VERSION: "1.0"}},
        {"headers": {"other": "x", VERSION: "1.1"}},
        {"headers": {"other": "x"}},
        {"headers": None},
        {"priority": 1},
        {"app_id": "x"},
    ],
)
def test_anything_else_is_left_to_the_long_way(changed: dict[str, Any]) -> None:
    assert not are_usual(wire_of(**changed))


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 400), st.binary(max_size=4))
def test_damaged_or_foreign_bytes_are_never_taken_for_a_readable_other_event(
    foreign: bytes, start: int, length: int, patch: bytes
) -> None:
    usual = wire_of()
    for wire in (foreign, usual[:start], usual[:start] + patch + usual[start + length :]):
        if are_usual(wire):
            properties = pika.BasicProperties()  # type: ignore[no-untyped-call]
            try:
                properties.decode(wire)  # type: ignore[no-untyped-call]
                event_of(properties, EVENT.to_body())
            except InvalidEvent as error:
                raise AssertionError(wire) from error
            except Exception:
                continue  # the long way can't read it at all; the body decides alone
