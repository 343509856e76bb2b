"""Recognises the properties that our own publisher writes, without decoding them.

Decoding a message's table of headers costs more than a quick job, only to find that the message is of the one type and
version there is. Whatever looks different is for Pika to decode.
"""

from mq_common.events import EVENT_TYPE, MediaEvent
from mq_common.messages import event_message

_SAMPLE = b"".join(event_message(MediaEvent.create(asset_id="sample", owner_id="sample")).properties.encode())  # type: ignore[no-untyped-call]
_CONTENT_TYPE = b"application/json"
#: Which properties there are, and the first of them.
_START = _SAMPLE[: 2 + 1 + len(_CONTENT_TYPE)]
#: The first header: the version of CloudEvents.
_VERSION_AT = len(_START) + 4
_VERSION = _SAMPLE[_VERSION_AT : _SAMPLE.index(b"1.0", _VERSION_AT) + 3]
#: The last property: the event's type.
_END = bytes([len(EVENT_TYPE)]) + EVENT_TYPE.encode()


def are_usual(wire: bytes) -> bool:
    """Tell whether these are the properties of an event of ours, of the type and version that this code writes."""
    if not wire.startswith(_START) or not wire.startswith(_VERSION, _VERSION_AT):
        return False
    delivery_mode = _VERSION_AT + int.from_bytes(wire[len(_START) : _VERSION_AT], "big")
    message_id = delivery_mode + 1
    if message_id >= len(wire):
        return False
    timestamp = message_id + 1 + wire[message_id]
    return wire[timestamp + 8 :] == _END
