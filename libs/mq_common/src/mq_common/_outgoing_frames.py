"""Publishes as bytes: many messages in one write.

Pika hands every frame to the socket by itself, three system calls a message, and encodes the same Basic.Publish method
again and again. Those calls, each of which also gives up the interpreter to another thread, cost more than the rest
of a publish. The frames themselves are Pika's own.
"""

import pika
from pika import frame, spec
from pika.channel import Channel

from mq_common.messages import OutgoingMessage

#: Bytes that a frame adds to its payload: header and end mark.
_FRAME_OVERHEAD = spec.FRAME_HEADER_SIZE + spec.FRAME_END_SIZE


class OutgoingFrames:
    """Encodes mandatory publishes of one channel and writes them. Used by the publisher's I/O thread only."""

    def __init__(self, connection: pika.SelectConnection, channel: Channel) -> None:
        self._connection, self._number = connection, int(channel.channel_number)
        self._most_per_frame = int(connection.params.frame_max) - _FRAME_OVERHEAD
        self._methods: dict[tuple[str, str], bytes] = {}

    def encode(self, message: OutgoingMessage) -> bytes:
        """Give the frames of one publish.

        Raises Pika's AMQPError, or what struct and str raise, for properties that do not fit into frames, and
        ValueError for headers that are longer than a frame: the broker would close the connection over them.
        """
        body = message.body
        header = frame.Header(self._number, len(body), message.properties).marshal()
        if len(header) > self._most_per_frame + _FRAME_OVERHEAD:
            raise ValueError(f"the headers take {len(header)} bytes, more than a frame holds")
        parts = [self._method(message.exchange, message.routing_key), header]
        if len(body) <= self._most_per_frame:
            if body:
                parts.append(frame.Body(self._number, body).marshal())
        else:
            for start in range(0, len(body), self._most_per_frame):
                parts.append(frame.Body(self._number, body[start : start + self._most_per_frame]).marshal())
        return b"".join(parts)

    def write(self, data: bytes) -> None:
        """Hand bytes to the connection, which sends them when the socket takes them."""
        self._connection._output_marshaled_frames([data])

    def _method(self, exchange: str, routing_key: str) -> bytes:
        """Give the Basic.Publish frame; a publisher has few addresses, so each is encoded once."""
        address = (exchange, routing_key)
        encoded = self._methods.get(address)
        if encoded is None:
            method = spec.Basic.Publish(  # type: ignore[no-untyped-call]
                exchange=exchange, routing_key=routing_key, mandatory=True
            )
            encoded = self._methods[address] = frame.Method(self._number, method).marshal()
        return encoded
