"""A subtitle track made of pictures (Blu-ray's Presentation Graphics), which ffmpeg cannot make from text."""

import struct

#: a run of one colour is at most 63 pixels long in the short form used here
_WIDTH, _HEIGHT = 60, 16
_PALETTE, _OBJECT, _COMPOSITION, _WINDOW, _END = 0x14, 0x15, 0x16, 0x17, 0x80
_EPOCH_START, _NORMAL = 0x80, 0x00


def presentation_graphics(start_s: float, end_s: float) -> bytes:
    """Give a .sup stream that shows one white box from start_s to end_s (seconds) in a 1280×720 picture."""
    show = [
        (_COMPOSITION, _composition(number=0, state=_EPOCH_START, objects=1)),
        (_WINDOW, struct.pack(">BBHHHH", 1, 0, 100, 600, _WIDTH, _HEIGHT)),
        (_PALETTE, bytes([0, 0]) + bytes([1, 235, 128, 128, 255])),  # entry 1: white, opaque
        (_OBJECT, _box()),
        (_END, b""),
    ]
    hide = [
        (_COMPOSITION, _composition(number=1, state=_NORMAL, objects=0)),
        (_WINDOW, struct.pack(">BBHHHH", 1, 0, 100, 600, _WIDTH, _HEIGHT)),
        (_END, b""),
    ]
    return b"".join(
        _segment(time, kind, body) for time, set_ in ((start_s, show), (end_s, hide)) for kind, body in set_
    )


def _segment(seconds: float, kind: int, body: bytes) -> bytes:
    return b"PG" + struct.pack(">IIBH", round(seconds * 90_000), 0, kind, len(body)) + body


def _composition(number: int, state: int, objects: int) -> bytes:
    head = struct.pack(">HHBHBBBB", 1280, 720, 0x10, number, state, 0, 0, objects)
    return head + struct.pack(">HBBHH", 0, 0, 0, 100, 600) * objects


def _box() -> bytes:
    row = bytes([0x00, 0x80 | _WIDTH, 1, 0x00, 0x00])  # a run of colour 1, end of the line
    data = struct.pack(">HH", _WIDTH, _HEIGHT) + row * _HEIGHT
    return struct.pack(">HBB", 0, 0, 0xC0) + len(data).to_bytes(3, "big") + data
