"""Publishes as bytes: exactly what Pika itself would send, in one piece."""

from types import SimpleNamespace
from typing import Any

import pika
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pika.channel import Channel
from pika.exceptions import AMQPError

from mq_common._outgoing_frames import OutgoingFrames
from mq_common.events import MediaEvent
from mq_common.messages import OutgoingMessage, event_message

FRAME_MAX = 4096


class RecordingConnection:
    """The sending half of Pika's connection, with its own code for the frames."""

    def __init__(self) -> None:
        self.params = SimpleNamespace(frame_max=FRAME_MAX)
        self._body_max_length = FRAME_MAX - 8
        self.sent = b""

    def _output_marshaled_frames(self, frames: list[bytes]) -> None:
        self.sent += b"".join(frames)

    _send_message = pika.connection.Connection._send_message


def sent_by_pika(message: OutgoingMessage) -> bytes:
    connection = RecordingConnection()
    channel: Any = SimpleNamespace(
        channel_number=7,
        connection=connection,
        _raise_if_not_open=lambda: None,
        _send_method=lambda method, content: connection._send_message(7, method, content),  # type: ignore[call-arg,arg-type]
    )
    Channel.basic_publish(
        channel, message.exchange, message.routing_key, message.body, message.properties, mandatory=True
    )
    return connection.sent


def sent_by_us(*messages: OutgoingMessage) -> bytes:
    connection: Any = RecordingConnection()
    channel: Any = SimpleNamespace(channel_number=7)
    frames = OutgoingFrames(connection, channel)
    frames.write(b"".join(frames.encode(message) for message in messages))
    return bytes(connection.sent)


@given(
    body=st.one_of(st.binary(max_size=50), st.integers(1, 3).map(lambda n: b"x" * (n * (FRAME_MAX - 8)))),
    key=st.text(max_size=30),
    headers=st.dictionaries(st.text(min_size=1, max_size=20), st.one_of(st.text(max_size=20), st.integers(0, 99))),
)
def test_the_bytes_are_pikas_own(body: bytes, key: str, headers: dict[str, Any]) -> None:
    properties = pika.BasicProperties(headers=headers or None, delivery_mode=2, message_id="m")
    message = OutgoingMessage("media.topic", key, body, properties)

    assert sent_by_us(message) == sent_by_pika(message)


def test_one_write_carries_many_messages() -> None:
    messages = [event_message(MediaEvent.create(asset_id=f"a{number}", owner_id="u")) for number in range(5)]

    assert sent_by_us(*messages) == b"".join(sent_by_pika(message) for message in messages)


def test_properties_that_do_not_fit_are_refused_before_anything_is_written() -> None:
    with pytest.raises(AMQPError):
        sent_by_us(OutgoingMessage("", "q", b"x", pika.BasicProperties(message_id="m" * 300)))
