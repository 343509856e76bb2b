"""A message's properties as they are on the wire: looked into where needed, and passed on byte for byte.

Pika decodes a whole table of headers to be asked for one of them, loses the fraction of a number on the way, and ends
the connection over a value that Python has no name for (a date far away, "not a number").
"""

from collections.abc import Callable, Mapping
from struct import Struct
from typing import Any, cast

import pika
from pika import data as amqp
from pika.exceptions import AMQPError

_FLAGS, _LENGTH = Struct(">H"), Struct(">I")
#: Bytes of a value behind its type. Those of the other types begin with their length.
_FIXED = dict(zip(b"tbBUusIifLldDTV", (1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 5, 8, 0), strict=True))
_SIZED = frozenset(b"SxAF")

_CONTENT_TYPE, _CONTENT_ENCODING, _HEADERS = 1 << 15, 1 << 14, 1 << 13
_MESSAGE_ID, _TYPE, _USER_ID = 1 << 7, 1 << 5, 1 << 4
#: Properties behind the headers: flag, and bytes (0: a short string).
_BEHIND = ((1 << 12, 1), (1 << 11, 1), (1 << 10, 0), (1 << 9, 0), (1 << 8, 0), (_MESSAGE_ID, 0), (1 << 6, 8),
           (_TYPE, 0), (_USER_ID, 0), (1 << 3, 0), (1 << 2, 0))  # fmt: skip


class WireProperties(pika.BasicProperties):
    """Properties of a delivered message. Only ``type``, ``content_encoding`` and ``message_id`` are read out.

    Raises ValueError when ``wire`` is damaged.
    """

    def __init__(self, wire: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._fields: dict[int, bytes] = {}
        self._values: dict[str, bytes] = {}
        try:
            self._split(wire)
        except (IndexError, KeyError, OverflowError, TypeError, UnicodeError) as error:
            raise ValueError(f"damaged properties: {error!r}") from error
        self.type, self.content_encoding, self.message_id = map(self._text, (_TYPE, _CONTENT_ENCODING, _MESSAGE_ID))

    def header(self, name: str) -> Any:
        """Give a header's value as Pika decodes it; None when it is not there or can't be decoded."""
        value = self._values.get(name)
        if value is None:
            return None
        try:
            return amqp.decode_value(value, 0)[0]
        except (AMQPError, ValueError, OverflowError, OSError, ArithmeticError, LookupError):
            return None

    def again(self, keep: Callable[[str], bool], ours: Mapping[str, Any]) -> "WireProperties":
        """Give the same properties with the headers that ``keep`` names, and ours; without the publisher's user."""
        copy = WireProperties(_FLAGS.pack(0))
        copy._fields = {flag: field for flag, field in self._fields.items() if flag != _USER_ID}
        copy._values = {name: value for name, value in self._values.items() if keep(name) and name not in ours}
        for name, value in ours.items():
            pieces: list[bytes] = []
            amqp.encode_value(pieces, value)
            copy._values[name] = b"".join(pieces)
        copy.type, copy.content_encoding, copy.message_id = self.type, self.content_encoding, self.message_id
        return copy

    def encode(self) -> list[bytes]:
        """Give the bytes for the wire, as Pika asks for them."""
        pieces = [self._fields[flag] for flag in (_CONTENT_TYPE, _CONTENT_ENCODING) if flag in self._fields]
        flags = sum(self._fields)
        if self._values:
            flags |= _HEADERS
            table = b"".join(_short(name) + value for name, value in self._values.items())
            pieces += (_LENGTH.pack(len(table)), table)
        pieces += [self._fields[flag] for flag, _ in _BEHIND if flag in self._fields]
        return [_FLAGS.pack(flags), *pieces]

    def _text(self, flag: int) -> str | None:
        field = self._fields.get(flag)
        return None if field is None else cast("str", amqp.decode_short_string(field, 0)[0])

    def _split(self, wire: bytes) -> None:
        (flags,) = _FLAGS.unpack(wire[:2].ljust(2, b"\1"))
        if flags & 3:
            raise IndexError("flags beyond the known ones")
        at = 2
        for flag in (_CONTENT_TYPE, _CONTENT_ENCODING):
            if flags & flag:
                at = self._keep(flag, wire, at, 0)
        if flags & _HEADERS:
            at = self._split_table(wire, at)
        for flag, size in _BEHIND:
            if flags & flag:
                at = self._keep(flag, wire, at, size)
        if at != len(wire):
            raise IndexError(f"{len(wire)} bytes, {at} expected")

    def _keep(self, flag: int, wire: bytes, at: int, size: int) -> int:
        end = at + (size or 1 + wire[at])
        self._fields[flag] = wire[at:end]
        return end

    def _split_table(self, wire: bytes, at: int) -> int:
        begin, at = at, at + _LENGTH.size
        end = at + int.from_bytes(wire[begin:at], "big")
        while at < end:
            name_end = at + 1 + wire[at]
            kind = wire[name_end]
            if kind in _SIZED:
                value_end = name_end + 5 + int.from_bytes(wire[name_end + 1 : name_end + 5], "big")
            else:
                value_end = name_end + 1 + _FIXED[kind]
            self._values[wire[at + 1 : name_end].decode("utf-8", "surrogateescape")] = wire[name_end:value_end]
            at = value_end
        if at != end:
            raise IndexError("a header beyond the table's end")
        return end


def _short(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogateescape")
    return bytes([len(encoded)]) + encoded
