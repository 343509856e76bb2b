"""Deliveries out of bytes: wherever the reads end, each arrives once, whole and in order, and Pika gets the rest."""

from collections.abc import Iterable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import pika
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pika import frame, spec
from pika.channel import ContentFrameAssembler
from pika.connection import Connection
from pika.exceptions import InvalidFrameError

from mq_common._incoming_frames import READ_BYTES, IncomingFrames

CHANNEL, OTHER_CHANNEL, FRAME_MAX = 1, 2, 256
MOST = FRAME_MAX - 8


class Message(NamedTuple):
    tag: int
    redelivered: bool
    message_id: str | None
    body: bytes

    def frames(self, number: int = CHANNEL, split: int = MOST) -> bytes:
        deliver = spec.Basic.Deliver("ctag1.x", self.tag, self.redelivered, "media.topic", "media.all")  # type: ignore[no-untyped-call]
        properties = pika.BasicProperties(message_id=self.message_id, headers={"a": [1, {"b": "ü"}]})
        pieces = [self.body[start : start + split] for start in range(0, len(self.body), split)]
        return b"".join(
            part.marshal()
            for part in (
                frame.Method(number, deliver),
                frame.Header(number, len(self.body), properties),
                *(frame.Body(number, piece) for piece in pieces),
            )
        )


class Inner:
    """Pika's own reading of frames; what comes of it is kept instead of being processed."""

    _on_data_available = Connection._on_data_available
    _read_frame = Connection._read_frame
    _trim_frame_buffer = Connection._trim_frame_buffer

    def __init__(self, channel: SimpleNamespace) -> None:
        self.params = SimpleNamespace(frame_max=FRAME_MAX)
        self._transport = SimpleNamespace(_MAX_RECV_BYTES=4096)
        self._frame_buffer = b""
        self.bytes_received = 0
        self.is_closed = False
        self.others: list[tuple[int, str]] = []
        self._channel, self._assembler = channel, ContentFrameAssembler()

    def _process_frame(self, value: Any) -> None:
        if value.channel_number == CHANNEL and not isinstance(value, frame.Heartbeat):
            if whole := self._assembler.process(value):
                self._channel._pending_events.append(whole)
        else:
            self.others.append((value.channel_number, type(value).__name__))


class Reader:
    """The subject between a fake socket and a consumer that notes what it gets."""

    def __init__(self) -> None:
        self.got: list[Message] = []
        self.by_pika = 0
        self.wakes = 0
        self.channel = SimpleNamespace(channel_number=CHANNEL, _pending_events=[])
        self.inner = Inner(self.channel)
        connection: Any = SimpleNamespace(_impl=self.inner, _request_channel_dispatch=self._woken)
        IncomingFrames(connection, self.channel, self._take)  # type: ignore[arg-type]

    def _woken(self, number: int) -> None:
        assert number == -CHANNEL
        self.wakes += 1

    def _take(self, tag: int, redelivered: bool, header: bytes, body: bytes) -> None:
        properties = pika.BasicProperties().decode(header)
        assert properties.headers == {"a": [1, {"b": "ü"}]}
        self.got.append(Message(tag, redelivered, properties.message_id, body))

    def read(self, data: bytes) -> None:
        self.inner._on_data_available(data)

    def dispatch(self) -> None:
        """Do what process_data_events does with the events that Pika kept."""
        for method, header, body in self.channel._pending_events:
            deliver, properties = method.method, header.properties
            self.got.append(Message(deliver.delivery_tag, deliver.redelivered, properties.message_id, body))
            self.by_pika += 1
        self.channel._pending_events.clear()


def pieces_of(data: bytes, borders: Iterable[int]) -> list[bytes]:
    cuts = sorted({0, len(data), *(border % (len(data) + 1) for border in borders)})
    return [data[start:end] for start, end in pairwise(cuts)]


Bodies = st.one_of(st.binary(max_size=40), st.sampled_from([b"", b"x" * MOST, b"x" * (MOST + 1), b"y" * 3 * MOST]))
Between = st.sampled_from(["", "heartbeat", "other channel", "other delivery", "split body"])


@given(
    st.lists(st.tuples(st.booleans(), st.none() | st.text(max_size=8), Bodies, Between), max_size=12),
    st.lists(st.integers(0, 10_000), max_size=30),
    st.lists(st.booleans(), min_size=1, max_size=5),
)
@example([(False, "a", b"body", "heartbeat"), (True, None, b"x" * (MOST + 1), ""), (False, "c", b"", "")], [], [False])
def test_every_delivery_arrives_once_whole_and_in_order_wherever_the_reads_end(
    plan: list[tuple[bool, str | None, bytes, str]], borders: list[int], dispatches: list[bool]
) -> None:
    reader, stream, others = Reader(), b"", []
    sent = [Message(tag, *rest[:3]) for tag, rest in enumerate(plan, 1)]
    for message, (*_, between) in zip(sent, plan, strict=True):
        stream += message.frames(split=7 if between == "split body" else MOST)
        if between == "heartbeat":
            stream += frame.Heartbeat().marshal()
            others.append((0, "Heartbeat"))
        elif between == "other channel":
            stream += frame.Method(OTHER_CHANNEL, spec.Basic.QosOk()).marshal()  # type: ignore[no-untyped-call]
            others.append((OTHER_CHANNEL, "Method"))
        elif between == "other delivery":
            stream += Message(7, False, None, b"z").frames(OTHER_CHANNEL)
            others += [(OTHER_CHANNEL, kind) for kind in ("Method", "Header", "Body")]

    for number, piece in enumerate(pieces_of(stream, borders)):
        reader.read(piece)
        if dispatches[number % len(dispatches)]:
            reader.dispatch()
    reader.dispatch()

    assert reader.got == sent
    assert reader.inner.others == others
    assert reader.inner._frame_buffer == b""
    assert reader.inner.bytes_received == len(stream)  # Pika's heartbeats count them


def test_whole_deliveries_do_not_pass_through_pika_and_end_its_wait_for_events() -> None:
    reader = Reader()

    reader.read(b"".join(Message(tag, False, "id", b"body").frames() for tag in range(1, 101)))

    assert len(reader.got) == 100
    assert (reader.by_pika, reader.wakes) == (0, 1)


def test_a_delivery_that_is_cut_off_waits_for_its_rest_at_every_byte() -> None:
    data = Message(5, True, "id", b"body").frames()
    for border in range(1, len(data)):
        reader = Reader()
        reader.read(data[:border])
        assert (reader.got, reader.wakes) == ([], 0)
        reader.read(data[border:])
        assert reader.got == [Message(5, True, "id", b"body")]
        assert reader.by_pika == 0


def test_a_delivery_behind_one_that_pika_still_holds_does_not_overtake_it() -> None:
    reader = Reader()
    reader.read(Message(1, False, "large", b"x" * (MOST + 1)).frames() + Message(2, False, "small", b"y").frames())
    reader.read(Message(3, False, "small", b"z").frames())

    assert reader.got == []
    reader.dispatch()
    reader.read(Message(4, False, "small", b"z").frames())
    assert [message.tag for message in reader.got] == [1, 2, 3, 4]
    assert reader.by_pika == 3


def test_a_damaged_frame_is_pikas_to_complain_about() -> None:
    data = bytearray(Message(1, False, "id", b"body").frames())
    data[-1] = 0

    with pytest.raises(InvalidFrameError):
        Reader().read(bytes(data))


def test_what_follows_the_end_of_the_connection_is_not_read() -> None:
    reader = Reader()

    def close(value: Any) -> None:
        reader.inner.is_closed = True

    reader.inner._process_frame = close  # type: ignore[method-assign]
    reader.read(frame.Heartbeat().marshal() + Message(1, False, "id", b"body").frames())
    assert reader.got == []


def test_the_socket_is_read_in_large_pieces() -> None:
    assert Reader().inner._transport._MAX_RECV_BYTES == READ_BYTES
