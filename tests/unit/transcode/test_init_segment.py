import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transcode.init_segment import InitSegment, UnknownInit, read_init


def box(kind: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def track(entry: bytes) -> bytes:
    description = box(b"stsd", struct.pack(">II", 0, 1), entry)
    return box(b"ftyp", b"iso5") + box(
        b"moov", box(b"mvhd", bytes(100)), box(b"trak", box(b"mdia", box(b"minf", box(b"stbl", description))))
    )


def avc(profile: int, constraints: int, level: int) -> bytes:
    fields = bytes(24) + struct.pack(">HH", 1280, 720) + bytes(50)
    return track(box(b"avc1", fields, box(b"avcC", bytes([1, profile, constraints, level, 0xFF]))))


def aac(object_type: int, channels: int = 2) -> bytes:
    specific = bytes([0x05, 2, object_type << 3 | 1, 0x80 | channels << 3])
    config = bytes([0x04, 13 + len(specific), 0x40]) + bytes(12) + specific
    elementary = bytes([0x03, 0x80, 0x80, 0x80, 3 + len(config), 0, 1, 0]) + config
    fields = bytes(16) + struct.pack(">HH", 2, 16) + bytes(8)
    return track(box(b"mp4a", fields, box(b"esds", bytes(4), elementary)))


@pytest.mark.parametrize(
    ("profile", "constraints", "level", "codec"),
    [(100, 0, 31, "avc1.64001f"), (66, 0xC0, 30, "avc1.42c01e"), (77, 0x40, 40, "avc1.4d4028")],
)
def test_the_codec_string_of_a_picture_is_read_from_its_configuration(profile, constraints, level, codec):
    assert read_init(avc(profile, constraints, level)) == InitSegment(codec, width=1280, height=720)


@pytest.mark.parametrize(("object_type", "codec"), [(2, "mp4a.40.2"), (5, "mp4a.40.5")])
def test_the_codec_string_of_a_sound_is_read_from_its_configuration(object_type, codec):
    assert read_init(aac(object_type, channels=1)) == InitSegment(codec, channels=1)


def test_another_codec_is_refused():
    with pytest.raises(UnknownInit, match="hvc1"):
        read_init(track(box(b"hvc1", bytes(78))))


@given(st.integers(0, 400))
def test_a_segment_that_is_cut_short_is_refused(length):
    whole = avc(100, 0, 31)
    if length < len(whole) - 2:
        with pytest.raises(UnknownInit):
            read_init(whole[:length])
