import struct
from typing import Any

import pika
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common._wire_properties import WireProperties
from mq_common.dead_letters import DeadLetter


def wire(properties: pika.BasicProperties) -> bytes:
    return b"".join(properties.encode())


def decoded(properties: pika.BasicProperties) -> pika.BasicProperties:
    plain = pika.BasicProperties()
    plain.decode(wire(properties))
    return plain


_short = st.none() | st.text(min_size=1, max_size=30)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=30) | st.binary(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_headers = st.none() | st.dictionaries(st.text(max_size=20), _values, min_size=1, max_size=6)
_properties = st.builds(
    pika.BasicProperties,
    content_type=_short,
    content_encoding=_short,
    headers=_headers,
    delivery_mode=st.sampled_from([None, 1, 2]),
    priority=st.none() | st.integers(0, 255),
    correlation_id=_short,
    reply_to=_short,
    expiration=_short,
    message_id=_short,
    timestamp=st.none() | st.integers(0, 2**62),
    type=_short,
    user_id=_short,
    app_id=_short,
    cluster_id=_short,
)


@given(_properties)
def test_any_properties_are_passed_on_byte_for_byte(properties: pika.BasicProperties) -> None:
    sent = wire(properties)
    read = WireProperties(sent)

    assert wire(read) == sent
    assert (read.type, read.content_encoding, read.message_id) == (
        properties.type,
        properties.content_encoding,
        properties.message_id,
    )
    plain = decoded(properties).headers or {}
    assert {name: read.header(name) for name in plain} == plain


@given(_properties)
def test_again_changes_the_headers_that_are_asked_for_and_drops_the_user(properties: pika.BasicProperties) -> None:
    again = decoded(WireProperties(wire(properties)).again(lambda name: len(name) % 2 == 0, {"ours": 7}))
    before = decoded(properties)

    assert again.headers == {name: value for name, value in (before.headers or {}).items() if len(name) % 2 == 0} | {
        "ours": 7
    }
    assert again.user_id is None
    untouched = ("content_type", "delivery_mode", "correlation_id", "message_id", "timestamp", "type", "cluster_id")
    for name in untouched:
        assert getattr(again, name) == getattr(before, name)


@given(st.binary(max_size=60))
def test_damaged_properties_are_a_value_error_and_a_dead_letter_that_says_so(damaged: bytes) -> None:
    try:
        WireProperties(damaged)
    except ValueError:
        letter = DeadLetter.read(1, damaged, b"")
        assert (letter.properties, letter.error_class) == (None, "InvalidEvent")


def table(name: bytes, value: bytes) -> bytes:
    entry = bytes([len(name)]) + name + value
    return struct.pack(">HI", 1 << 13, len(entry)) + entry


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (b"d" + struct.pack(">d", 0.25), 0),  # Pika cuts the fraction off
        (b"d" + struct.pack(">d", float("nan")), None),
        (b"T" + struct.pack(">Q", 2**63), None),
        (b"S" + struct.pack(">I", 2) + b"\xff\xfe", b"\xff\xfe"),
        (b"V", None),
    ],
)
def test_values_that_pika_changes_or_can_not_read_travel_on_as_they_are(value: bytes, seen: Any) -> None:
    sent = table(b"theirs", value)
    read = WireProperties(sent)

    assert read.header("theirs") == seen
    assert wire(read.again(lambda _: True, {})) == sent


def deaths(*items: Any) -> bytes:
    return wire(pika.BasicProperties(headers={"theirs": "x", "x-death": list(items)}))


def test_only_what_is_wanted_of_the_first_table_of_a_list_is_read() -> None:
    read = WireProperties(deaths({"reason": "rejected", "count": 3, "routing-keys": ["a"]}, {"reason": "expired"}))

    assert read.first_table("x-death", ("reason", "time")) == {"reason": "rejected"}


@pytest.mark.parametrize("items", [(), ("rubbish",), (7, {"reason": "rejected"}), ([{"reason": "rejected"}],), ({},)])
def test_a_list_without_a_table_in_front_has_nothing_to_tell(items: tuple[Any, ...]) -> None:
    read = WireProperties(deaths(*items))

    assert read.first_table("x-death", ("reason",)) == read.first_table("theirs", ("reason",)) == {}
    assert read.first_table("missing", ("reason",)) == {}


@given(st.binary(max_size=40))
def test_a_damaged_table_in_a_list_harms_nothing_and_travels_on(inner: bytes) -> None:
    sent = table(b"x-death", b"A" + struct.pack(">I", len(inner) + 1) + b"F" + inner)
    letter = DeadLetter.read(1, sent, b"")

    assert letter.properties is not None
    assert letter.history.replays == 0
    assert wire(letter.properties.again(lambda _: True, {})) == sent


def test_a_type_that_is_no_text_is_refused_and_travels_on() -> None:
    sent = struct.pack(">H", 1 << 5) + b"\x02\xff\xfe"
    letter = DeadLetter.read(1, sent, b"")

    assert letter.error_class == "InvalidEvent"
    assert letter.properties is not None
    assert wire(letter.properties.again(lambda _: True, {})) == sent
