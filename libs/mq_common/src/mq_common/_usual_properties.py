"""Recognises the properties that our own publisher writes, without decoding them.

Decoding a message's table of headers costs more than a quick job, only to find that the message is of the one type and
version there is. Whatever looks different is for Pika to decode.
"""

from mq_common.events import EVENT_TYPE, MediaEvent
from mq_common.messages import event_message

_SAMPLE = b"".join(event_message(MediaEvent.create(asset_id="sample", owner_id="sample")).properties.encode())  # type: ignore[no-untyped-call]
_CONTENT_TYPE = b"application/json"
#: Which properties there are, and the first of them. Behind it: the length of the table of headers, and the table.
_START = _SAMPLE[: 2 + 1 + len(_CONTENT_TYPE)]
_TABLE = len(_START) + 4
#: The version of CloudEvents: the header's name as a table has it, and what it says.
_VERSION, _READABLE = b"\x17cloudEvents:specversion", b"1.0"
#: The last property: the event's type.
_END = bytes([len(EVENT_TYPE)]) + EVENT_TYPE.encode()


def are_usual(wire: bytes) -> bool:
    """Tell whether these are the properties of an event of ours, of the type and version that this code writes."""
    if not wire.startswith(_START):
        return False
    delivery_mode = _TABLE + int.from_bytes(wire[len(_START) : _TABLE], "big")
    message_id = delivery_mode + 1
    if message_id >= len(wire):
        return False
    timestamp = message_id + 1 + wire[message_id]
    return wire[timestamp + 8 :] == _END and _has_readable_version(wire, delivery_mode)


def _has_readable_version(wire: bytes, end: int) -> bool:
    """Look for the version from header to header, as long as they are texts; RabbitMQ 4 sorts them by name."""
    name = _TABLE
    while name < end:
        kind = name + 1 + wire[name]
        value = kind + 5
        value_end = value + int.from_bytes(wire[kind + 1 : value], "big")
        if wire[kind : kind + 1] != b"S" or value_end > end:
            return False
        if wire[name:kind] == _VERSION:
            return wire[value:value_end] == _READABLE
        name = value_end
    return False
