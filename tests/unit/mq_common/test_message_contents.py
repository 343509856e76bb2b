import struct
from datetime import UTC, datetime

import pika
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common.message_contents import read_contents


def wire(properties: pika.BasicProperties) -> bytes:
    return b"".join(properties.encode())


def test_everything_that_is_set_is_read_and_nothing_else() -> None:
    sent = pika.BasicProperties(
        content_type="application/json",
        delivery_mode=2,
        message_id="m-1",
        timestamp=1_767_225_600,
        headers={"n": 7, "deep": {"list": [1, "two"]}, "at": datetime(2026, 1, 1, tzinfo=UTC)},
    )

    found = read_contents(wire(sent))

    assert found.properties == {
        "content_type": "application/json",
        "delivery_mode": 2,
        "message_id": "m-1",
        "timestamp": 1_767_225_600,
    }
    assert found.headers["n"] == 7
    assert found.headers["deep"] == {"list": [1, "two"]}


def test_a_header_that_nobody_can_decode_costs_no_other() -> None:
    far = b"\x03far" + b"T" + struct.pack(">Q", 1 << 62)
    table = far + b"\x03own" + b"S" + struct.pack(">I", 2) + b"ok"
    properties = struct.pack(">HI", 1 << 13, len(table)) + table

    assert read_contents(properties).headers == {"far": None, "own": "ok"}


@given(st.binary(max_size=200))
def test_damaged_properties_are_read_or_refused(damaged: bytes) -> None:
    try:
        read_contents(damaged)
    except ValueError as error:
        assert "damaged properties" in str(error)


def test_what_is_cut_short_is_refused() -> None:
    with pytest.raises(ValueError, match="damaged"):
        read_contents(wire(pika.BasicProperties(message_id="m-1"))[:-1])
