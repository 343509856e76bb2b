"""Deliveries as bytes: a whole prefetch window out of one read.

Pika reads 4 KiB at a time, copies the rest of its buffer for each of a message's three frames, and decodes a table of
headers that nobody looks at unless the message is given back. That is most of what a quick job costs. Here a delivery
that lies whole in what the socket gave is cut out of it; every other frame goes Pika's own way, in its order.
"""

from collections.abc import Callable
from struct import Struct

from pika import spec
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection

#: Bytes asked from the socket at once. Below the size from which the allocator asks the kernel for each block.
READ_BYTES = 64 * 1024

#: Frame type, channel, payload size.
_FRAME = Struct(">BHL")
#: The same and, of a method frame, the method's number; the consumer tag of Basic.Deliver follows.
_METHOD = Struct(">BHLL")
#: The same and, of a header frame, class, weight and body size; the properties follow.
_HEADER = Struct(">BHLHHQ")
#: Delivery tag and flags of Basic.Deliver, behind the consumer tag.
_TAG = Struct(">QB")
#: Bytes that a frame adds to its payload: header and end mark.
_OVERHEAD = spec.FRAME_HEADER_SIZE + spec.FRAME_END_SIZE
_DELIVER = spec.Basic.Deliver.INDEX

#: Called with delivery tag, redelivered, the properties as they were on the wire, and the body.
Take = Callable[[int, bool, bytes, bytes], None]


class IncomingFrames:
    """Reads what the broker sends on a connection, for the one consumer of one of its channels.

    ``take`` is called for each delivery, in order, from within any call that processes the connection's input. A
    delivery in several body frames, or one behind an event that Pika has not dispatched yet, still comes through the
    callback that was given to ``basic_consume``.
    """

    def __init__(self, connection: BlockingConnection, channel: BlockingChannel, take: Take) -> None:
        self._connection, self._channel, self._take = connection, channel, take
        self._number = int(channel.channel_number)
        self._inner = connection._impl
        self._most_per_frame = int(self._inner.params.frame_max) - _OVERHEAD
        self._read_by_pika = self._inner._on_data_available
        self._inner._on_data_available = self._read  # type: ignore[method-assign]
        self._inner._transport._MAX_RECV_BYTES = READ_BYTES  # type: ignore[union-attr]

    def detach(self) -> None:
        """Let Pika read by itself again."""
        self._inner._on_data_available = self._read_by_pika  # type: ignore[method-assign]

    def _read(self, data_in: bytes) -> None:
        """Take the deliveries; hand Pika every other frame when it is whole, and keep the rest for the next read."""
        inner = self._inner
        buffer = inner._frame_buffer + data_in if inner._frame_buffer else data_in
        inner._frame_buffer = b""
        start, unfinished = 0, False
        while True:
            # What Pika holds for its next dispatch came earlier: tags must stay in the broker's order.
            if not self._channel._pending_events:
                taken, unfinished = self._take_deliveries(buffer, start)
                if taken > start:
                    inner.bytes_received += taken - start  # by which Pika's heartbeats see that the broker lives
                    self._connection._request_channel_dispatch(-self._number)  # ends process_data_events
                    start = taken
            end = _frame_end(buffer, start)
            if unfinished or end > len(buffer):
                break
            self._read_by_pika(buffer[start:end])
            if inner.is_closed:
                return
            start = end
        inner._frame_buffer = buffer[start:]

    def _take_deliveries(self, buffer: bytes, start: int) -> tuple[int, bool]:
        """Take whole deliveries from ``start`` on; gives where they end, and whether the next one is only begun."""
        number, most = self._number, self._most_per_frame
        size = len(buffer)
        while size - start > _METHOD.size:
            kind, of, length, method = _METHOD.unpack_from(buffer, start)
            if method != _DELIVER or kind != spec.FRAME_METHOD or of != number:
                break
            header = start + length + _OVERHEAD
            if size - header < _HEADER.size:
                return start, True
            kind, of, length, _, _, body_size = _HEADER.unpack_from(buffer, header)
            if kind != spec.FRAME_HEADER or of != number or body_size > most:
                break
            body = header + length + _OVERHEAD
            end = body + body_size + _OVERHEAD if body_size else body
            if size < end:
                return start, True
            if body_size and _FRAME.unpack_from(buffer, body) != (spec.FRAME_BODY, number, body_size):
                break
            if not buffer[header - 1] == buffer[body - 1] == buffer[end - 1] == spec.FRAME_END:
                break  # damaged: Pika says what is wrong
            tag, flags = _TAG.unpack_from(buffer, start + _METHOD.size + 1 + buffer[start + _METHOD.size])
            self._take(tag, bool(flags & 1), buffer[header + _HEADER.size : body - 1], buffer[body + 7 : end - 1])
            start = end
        return start, False


def _frame_end(buffer: bytes, start: int) -> int:
    """Give where the frame at ``start`` ends; beyond the buffer when that is not known yet."""
    if len(buffer) - start < _FRAME.size:
        return len(buffer) + 1
    return start + int(_FRAME.unpack_from(buffer, start)[2]) + _OVERHEAD
