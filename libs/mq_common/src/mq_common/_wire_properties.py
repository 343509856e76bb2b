"""A message's properties as they are on the wire: looked into where needed, and passed on byte for byte.

Pika decodes a whole table of headers to be asked for one of them, loses the fraction of a number on the way, and ends
the connection over a value that Python has no name for (a date far away, "not a number").
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from struct import Struct
from typing import Any

import pika
from pika import data as amqp
from pika.exceptions import AMQPError

_FLAGS, _LENGTH = Struct(">H"), Struct(">I")
#: Bytes of a value behind its type. Those of the other types begin with their length.
_FIXED = dict(zip(b"tbBUusIifLldDTV", (1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 5, 8, 0), strict=True))
_SIZED = frozenset(b"SxAF")
_TEXT, _ARRAY, _TABLE = b"SAF"

_CONTENT_TYPE, _CONTENT_ENCODING, _HEADERS = 1 << 15, 1 << 14, 1 << 13
_MESSAGE_ID, _TYPE, _USER_ID = 1 << 7, 1 << 5, 1 << 4
#: Properties behind the headers: flag, and bytes (0: a short string).
_BEHIND = ((1 << 12, 1), (1 << 11, 1), (1 << 10, 0), (1 << 9, 0), (1 << 8, 0), (_MESSAGE_ID, 0), (1 << 6, 8),
           (_TYPE, 0), (_USER_ID, 0), (1 << 3, 0), (1 << 2, 0))  # fmt: skip
#: What a cut may stumble over.
_DAMAGES = (IndexError, KeyError, OverflowError, TypeError, UnicodeError)


class WireProperties(pika.BasicProperties):
    """Properties of a delivered message. Only ``type``, ``content_encoding`` and ``message_id`` are read out.

    Raises ValueError when ``wire`` is damaged.
    """

    # Pika's own constructor would set fourteen attributes for nobody to read.
    type: Any = None
    content_encoding: Any = None
    message_id: Any = None
    headers: Any = None

    def __init__(self, wire: bytes) -> None:
        self._wire = wire
        #: Header by name: name and value as they lie in the table.
        self._entries: dict[str, bytes] = {}
        self._user = slice(0, 0)
        try:
            self._split(wire)
        except _DAMAGES as error:
            raise ValueError(f"damaged properties: {error!r}") from error

    @property
    def names(self) -> list[str]:
        """Give the headers' names, in their order."""
        return list(self._entries)

    def header(self, name: str) -> Any:
        """Give a header's value as Pika decodes it; None when it is not there or can't be decoded."""
        entry = self._entries.get(name)
        return None if entry is None else _decoded(entry[1 + entry[0] :])

    def first_table(self, name: str, wanted: Iterable[str]) -> dict[str, Any]:
        """Give what is ``wanted`` of the first item of a list of tables; nothing where the header is something else."""
        entry = self._entries.get(name)
        if entry is None:
            return {}
        at = 1 + entry[0]
        if entry[at] != _ARRAY or entry[at + 5 : at + 6] != _TABLE.to_bytes():
            return {}
        items: dict[str, bytes] = {}
        try:
            end = _cut_table(entry, at + 6, items)
        except _DAMAGES:
            return {}
        if end > len(entry):
            return {}
        found = ((key, items.get(key)) for key in wanted)
        return {key: _decoded(item[1 + item[0] :]) for key, item in found if item is not None}

    def again(self, keep: Callable[[str], bool], ours: Mapping[str, str | int]) -> "WireProperties":
        """Give the same properties with the headers that ``keep`` names, and ours; without the publisher's user."""
        entries = [entry for name, entry in self._entries.items() if keep(name) and name not in ours]
        entries += [_entry(name, value) for name, value in ours.items()]
        wire, user = self._wire, self._user
        flags = self._flags & ~_USER_ID & ~_HEADERS
        behind = wire[self._behind : user.start] + wire[user.stop :] if user.stop else wire[self._behind :]
        table = b""
        if entries:
            table = b"".join(entries)
            flags |= _HEADERS
            table = _LENGTH.pack(len(table)) + table
        copy = WireProperties.__new__(WireProperties)
        copy._wire = _FLAGS.pack(flags) + wire[2 : self._front] + table + behind
        copy.type, copy.content_encoding, copy.message_id = self.type, self.content_encoding, self.message_id
        return copy

    def encode(self) -> list[bytes]:
        """Give the bytes for the wire, as Pika asks for them."""
        return [self._wire]

    def _split(self, wire: bytes) -> None:
        (flags,) = _FLAGS.unpack(wire[:2].ljust(2, b"\1"))
        if flags & 3:
            raise IndexError("flags beyond the known ones")
        self._flags, at = flags, 2
        if flags & _CONTENT_TYPE:
            at += 1 + wire[at]
        if flags & _CONTENT_ENCODING:
            start, at = at, at + 1 + wire[at]
            self.content_encoding = _text(wire, start, at)
        self._front = at
        if flags & _HEADERS:
            at = _cut_table(wire, at, self._entries)
        self._behind = at
        for flag, size in _BEHIND:
            if flags & flag:
                start, at = at, at + (size or 1 + wire[at])
                if flag == _MESSAGE_ID:
                    self.message_id = _text(wire, start, at)
                elif flag == _TYPE:
                    self.type = _text(wire, start, at)
                elif flag == _USER_ID:
                    self._user = slice(start, at)
        if at != len(wire):
            raise IndexError(f"{len(wire)} bytes, {at} expected")


def _cut_table(wire: bytes, at: int, entries: dict[str, bytes]) -> int:
    """Cut a table, whose length lies at ``at``, into its entries; gives where it ends."""
    begin, at = at, at + _LENGTH.size
    end = at + int.from_bytes(wire[begin:at], "big")
    while at < end:
        name_end = at + 1 + wire[at]
        kind = wire[name_end]
        if kind in _SIZED:
            value_end = name_end + 5 + int.from_bytes(wire[name_end + 1 : name_end + 5], "big")
        else:
            value_end = name_end + 1 + _FIXED[kind]
        entries[_name(wire[at + 1 : name_end])] = wire[at:value_end]
        at = value_end
    if at != end:
        raise IndexError("an entry beyond the table's end")
    return end


def _decoded(value: bytes) -> Any:
    """Decode a value as Pika does; None when that can't be done."""
    if value[0] == _TEXT:
        try:
            return value[5:].decode()
        except UnicodeDecodeError:
            return value[5:]
    try:
        return amqp.decode_value(value, 0)[0]
    except (AMQPError, ValueError, OverflowError, OSError, ArithmeticError, LookupError):
        return None


def _text(wire: bytes, start: int, end: int) -> Any:
    """Read a short string as Pika does; its length comes first."""
    raw = wire[start + 1 : end]
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


@lru_cache(maxsize=256)
def _name(raw: bytes) -> str:
    """Read a header's name; a queue's messages have the same few."""
    return raw.decode("utf-8", "surrogateescape")


@lru_cache(maxsize=256, typed=True)
def _entry(name: str, value: str | int) -> bytes:
    """Give a header of ours as it lies in a table; most are the same for all messages of a run."""
    encoded = name.encode("utf-8", "surrogateescape")
    pieces: list[bytes] = [bytes([len(encoded)]), encoded]
    amqp.encode_value(pieces, value)
    return b"".join(pieces)
