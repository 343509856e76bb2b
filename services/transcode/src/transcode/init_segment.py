"""Reads an fMP4 initialisation segment: which codec, exactly, and which picture size. Pure.

ISO/IEC 14496-12 (boxes), 14496-15 (avcC), 14496-14 and 14496-1 (esds); codec strings: RFC 6381.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_CONTAINERS = frozenset({b"moov", b"trak", b"mdia", b"minf", b"stbl"})
#: Bytes of a box's own fields before its child boxes.
_SAMPLE_DESCRIPTION, _VISUAL_ENTRY, _AUDIO_ENTRY = 8, 78, 28
_DECODER_CONFIG, _DECODER_SPECIFIC = 0x04, 0x05


class UnknownInit(ValueError):
    """The segment is not one of those this service makes."""


@dataclass(frozen=True, slots=True)
class InitSegment:
    """What a rendition is. `width` and `height` are None for sound, `channels` for pictures."""

    codec: str
    width: int | None = None
    height: int | None = None
    channels: int | None = None


def read_init(data: bytes) -> InitSegment:
    """Describe the first track of an initialisation segment. Raises UnknownInit."""
    try:
        return _described(data)
    except (IndexError, StopIteration):
        raise UnknownInit("the initialisation segment is cut short or holds no AVC or AAC track") from None


def _described(data: bytes) -> InitSegment:
    description = next(body for kind, body in _boxes(data) if kind == b"stsd")
    kind, entry = next(_children(description[_SAMPLE_DESCRIPTION:]))
    if kind == b"avc1":
        config = next(body for name, body in _children(entry[_VISUAL_ENTRY:]) if name == b"avcC")
        profile, constraints, level = config[1], config[2], config[3]
        width, height = int.from_bytes(entry[24:26], "big"), int.from_bytes(entry[26:28], "big")
        return InitSegment(f"avc1.{profile:02x}{constraints:02x}{level:02x}", width, height)
    if kind == b"mp4a":
        config = next(body for name, body in _children(entry[_AUDIO_ENTRY:]) if name == b"esds")
        return _sound(config[4:])
    raise UnknownInit(f"the initialisation segment holds {kind!r}, not AVC or AAC")


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    for kind, body in _children(data):
        yield kind, body
        if kind in _CONTAINERS:
            yield from _boxes(body)


def _children(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 0
    while position + 8 <= len(data):
        size = int.from_bytes(data[position : position + 4], "big")
        if size < 8:  # 0 ("to the end") and 1 (64 bit) do not occur here
            return
        yield data[position + 4 : position + 8], data[position + 8 : position + size]
        position += size


def _sound(descriptors: bytes) -> InitSegment:
    """Read ``mp4a.<object type>.<audio object type>`` and the channels from the descriptors of an esds box.

    The sample entry's own channel count is no help: it says 2 for every AAC track.
    """
    body = _descriptor(descriptors, 0x03)[3:]  # ES_ID and flags; no optional fields are written here
    config = _descriptor(body, _DECODER_CONFIG)
    # AudioSpecificConfig: 5 bits object type, 4 sampling rate, 4 channels
    specific = _descriptor(config[13:], _DECODER_SPECIFIC)
    return InitSegment(f"mp4a.{config[0]:x}.{specific[0] >> 3}", channels=specific[1] >> 3 & 0x0F)


def _descriptor(data: bytes, tag: int) -> bytes:
    if data[0] != tag:
        raise UnknownInit(f"expected descriptor {tag}, found {data[0]}")
    position, length = 1, 0
    while True:
        byte = data[position]
        position += 1
        length = length << 7 | byte & 0x7F
        if not byte & 0x80:
            return data[position : position + length]
