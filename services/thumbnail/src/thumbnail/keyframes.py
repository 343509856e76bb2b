"""Child program: takes the key frames nearest before some moments out of a video, into a small file.

``python -m thumbnail.keyframes SOURCE OUT STREAM TILES STEP_S [WIDTH FORMAT]`` opens the source once, however many
moments are asked for; an ffmpeg process for each of them would read the index of a two-hour film a hundred times.
It runs as a child because what it reads is hostile. Ends with one line of JSON: the moments it found, in seconds.

The key frames are copied undecoded. Given WIDTH and FORMAT they are decoded, each by itself, to raw pictures: an
H.264 decoder that gets the key frames of open groups in a row puts them in the wrong order and drops most.
"""

# Packet is generic for type checkers only.
from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import av.error
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Discard
from av.video.stream import VideoStream

from media_common.ffmpeg import FORMAT_WHITELIST, PROTOCOL_WHITELIST

#: Bytes of the small file at most; only films of nothing but huge key frames come near.
MOST_BYTES = 1 << 30
#: Packets looked at after a seek before its moment is given up: files without marks of their key frames.
MOST_PACKETS = 5000
_MICROSECONDS = Fraction(1, 1_000_000)

#: Writes one key frame; gives the bytes written, 0 when it cannot be decoded.
Write = Callable[["Packet[VideoStream]", Fraction], int]


def take_key_frames(
    source: Path, out: Path, *, stream: int, tiles: int, step_s: float, decode_to: tuple[int, str] | None = None
) -> list[float]:
    """Take the last key frame at or before each multiple of step_s; gives their moments in seconds, rising.

    decode_to: width and pixel format of raw pictures; None copies the frames as they are.
    """
    options = {"protocol_whitelist": PROTOCOL_WHITELIST, "format_whitelist": FORMAT_WHITELIST}
    moments: list[float] = []
    with (
        av.open(str(source), options=options, metadata_errors="replace") as film,
        av.open(str(out), "w", format="nut") as small,
    ):
        picture = film.streams[stream]
        if not isinstance(picture, VideoStream):
            return []
        write = _copier(small, picture) if decode_to is None else _decoder(small, picture, *decode_to)
        size = 0
        for packet, moment in _key_frames(film, picture, tiles, step_s):
            written = write(packet, moment)
            if written:
                moments.append(float(moment))
            size += written
            if size > MOST_BYTES:
                break
    return moments


def _key_frames(
    film: InputContainer, picture: VideoStream, tiles: int, step_s: float
) -> Iterator[tuple[Packet[VideoStream], Fraction]]:
    for other in film.streams:
        if other is not picture:
            other.discard = Discard.all
    last = Fraction(-1)
    for number in range(tiles):
        wanted = Fraction(number * step_s)
        found = _after_seek(film, picture, wanted, latest=wanted + 2 * Fraction(step_s))
        if found is not None and found[1] > last:
            yield found
            last = found[1]


def _after_seek(
    film: InputContainer, picture: VideoStream, wanted: Fraction, latest: Fraction
) -> tuple[Packet[VideoStream], Fraction] | None:
    base = picture.time_base or _MICROSECONDS
    start = Fraction(film.start_time or 0, av.time_base)
    try:
        film.seek(int((start + wanted) / base), stream=picture)
        for count, packet in enumerate(film.demux(picture)):
            stamp = packet.pts if packet.pts is not None else packet.dts
            if stamp is None or count > MOST_PACKETS:
                return None
            moment = max(Fraction(0), stamp * base - start)
            if packet.is_keyframe and not packet.is_corrupt:
                return packet, moment
            if moment > latest:
                return None
    except av.error.FFmpegError:
        return None  # a hole in the file: the other moments may be whole
    return None


def _copier(small: OutputContainer, picture: VideoStream) -> Write:
    copy = small.add_stream_from_template(picture)

    def write(packet: Packet[VideoStream], moment: Fraction) -> int:
        packet.stream, packet.time_base, packet.duration = copy, _MICROSECONDS, 0
        packet.pts = packet.dts = int(moment / _MICROSECONDS)
        size = packet.size
        small.mux(packet)
        return size

    return write


def _decoder(small: OutputContainer, picture: VideoStream, width: int, pixel_format: str) -> Write:
    width = min(width, picture.width)
    raw = small.add_stream("rawvideo", width=width, height=picture.height, pix_fmt=pixel_format)
    raw.codec_context.time_base = _MICROSECONDS

    def write(packet: Packet[VideoStream], moment: Fraction) -> int:
        size = 0
        try:
            frames = [*picture.codec_context.decode(packet), *picture.codec_context.decode(None)]
        except av.error.FFmpegError:
            frames = []  # damaged: the others may be whole
        picture.codec_context.flush_buffers()
        for frame in frames[:1]:
            # All lines are kept: of interlaced frames one field is taken later.
            plain = frame.reformat(width=width, height=picture.height, format=pixel_format)
            plain.pts, plain.time_base = int(moment / _MICROSECONDS), _MICROSECONDS
            for written in raw.encode(plain):
                size += written.size
                small.mux(written)
        return size

    return write


if __name__ == "__main__":
    file, target, *numbers = sys.argv[1:]
    found = take_key_frames(
        Path(file),
        Path(target),
        stream=int(numbers[0]),
        tiles=int(numbers[1]),
        step_s=float(numbers[2]),
        decode_to=(int(numbers[3]), numbers[4]) if len(numbers) > 3 else None,
    )
    sys.stdout.write(json.dumps(found) + "\n")
