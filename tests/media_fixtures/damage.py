"""What is done to the bytes of whole files to make broken ones."""

import random
from collections.abc import Callable

#: Bytes of a made file in, bytes of the broken file out.
Edit = Callable[[bytes], bytes]


def keep(fraction: float) -> Edit:
    """Break off the file after a part of its length."""
    return lambda data: data[: int(len(data) * fraction)]


def noise(seed: int, size: int) -> bytes:
    """Give the same random bytes each time."""
    return random.Random(seed).randbytes(size)


def damage_middle(data: bytes) -> bytes:
    """Write noise over some of the media data, far from the index at the file's start."""
    middle, length = len(data) // 2, min(20_000, len(data) // 10)
    return data[:middle] + noise(7, length) + data[middle + length :]


def damage_jpeg(data: bytes) -> bytes:
    """Replace all of a JPEG inside the file, but for its first mark, by noise."""
    start, end = data.index(b"\xff\xd8\xff") + 3, data.rindex(b"\xff\xd9")
    return data[:start] + noise(5, end - start) + data[end:]


def garble_media(data: bytes) -> bytes:
    """Replace all media data by noise; the index at the file's start stays whole."""
    start = data.index(b"mdat") + 4
    return data[:start] + noise(3, len(data) - start)
