"""Reads ffprobe's JSON into `MediaInfo`. Pure; whatever a file claims may be missing or absurd."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from media_common.languages import language_tag
from media_common.media_info import HDR_TRANSFERS, AudioStream, MediaInfo, SubtitleStream, VideoStream

#: Subtitle codecs that hold text; the others are pictures or closed captions inside the video.
TEXT_SUBTITLES = frozenset({"subrip", "srt", "ass", "ssa", "webvtt", "mov_text", "text", "microdvd", "sami"})
#: Pixel shapes beyond this are damage, not a format.
_LARGEST_SAR = 10
#: Two rates closer than this are one (29.97 declared, 29.96 counted).
_RATE_TOLERANCE = 0.02
#: More pictures per second than this is a time base, not a frame rate.
_HIGHEST_FRAME_RATE = 480

_DEPTH_IN_NAME = re.compile(r"(?:p|gray|x2rgb|x2bgr|p0)(9|10|12|14|16)(?:le|be|msble|msbbe)?$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")

Stream = Mapping[str, Any]


def media_info(report: Mapping[str, Any], size: int) -> MediaInfo:
    """Give what the report of ``ffprobe -show_format -show_streams`` says.

    size: of the file, in bytes. A length nobody states is 0. Streams whose codec or size is unknown are left out.
    """
    streams = [stream for stream in _list(report.get("streams")) if stream.get("codec_name")]
    container = _mapping(report.get("format"))
    return MediaInfo(
        format_name=str(container.get("format_name", "")),
        duration_s=_duration(container, streams),
        size=size,
        video=_video(streams),
        audio=tuple(_audio(stream) for stream in streams if stream.get("codec_type") == "audio"),
        subtitles=tuple(_subtitle(stream) for stream in streams if stream.get("codec_type") == "subtitle"),
        start_s=_number(container.get("start_time")),
        cover=_cover(streams),
    )


def _cover(streams: Sequence[Stream]) -> int | None:
    covers = [stream for stream in _pictures(streams) if _flag(stream, "attached_pic")]
    return _whole(covers[0].get("index")) if covers else None


def _pictures(streams: Sequence[Stream]) -> list[Stream]:
    return [
        stream
        for stream in streams
        if stream.get("codec_type") == "video" and _whole(stream.get("width")) > 0 and _whole(stream.get("height")) > 0
    ]


def _video(streams: Sequence[Stream]) -> VideoStream | None:
    pictures = [
        stream
        for stream in _pictures(streams)
        if not (_flag(stream, "attached_pic") or _flag(stream, "timed_thumbnails"))
    ]
    if not pictures:
        return None
    stream = next((picture for picture in pictures if _flag(picture, "default")), pictures[0])
    coded = _whole(stream["width"]), _whole(stream["height"])
    sar, rotation = _sar(stream), _rotation(stream)
    width, height = max(1, round(coded[0] * sar)), coded[1]
    if rotation in (90, 270):
        width, height = height, width
    transfer = stream.get("color_transfer")
    interlaced = stream.get("field_order") in ("tt", "bb", "tb", "bt")
    declared, average = _rates(stream)
    return VideoStream(
        index=_whole(stream.get("index")),
        codec=str(stream["codec_name"]),
        width=width,
        height=height,
        coded_width=coded[0],
        coded_height=coded[1],
        sar=sar,
        rotation=rotation,
        frame_rate=declared,
        avg_frame_rate=average,
        is_vfr=_varies(declared, average, interlaced=interlaced),
        pixel_format=str(stream.get("pix_fmt", "")),
        bit_depth=_bit_depth(stream),
        color_transfer=str(transfer) if transfer else None,
        is_hdr=transfer in HDR_TRANSFERS,
        interlaced=interlaced,
        start_s=_number(stream.get("start_time")),
        frames=_whole(stream.get("nb_frames")) or None,
    )


def _audio(stream: Stream) -> AudioStream:
    return AudioStream(
        index=_whole(stream.get("index")),
        codec=str(stream["codec_name"]),
        channels=_whole(stream.get("channels")),
        sample_rate=_whole(stream.get("sample_rate")),
        language=language_tag(_tag(stream, "language")),
        default=_flag(stream, "default"),
        title=_tag(stream, "title"),
    )


def _subtitle(stream: Stream) -> SubtitleStream:
    codec = str(stream["codec_name"])
    return SubtitleStream(
        index=_whole(stream.get("index")),
        codec=codec,
        language=language_tag(_tag(stream, "language")),
        default=_flag(stream, "default"),
        forced=_flag(stream, "forced"),
        title=_tag(stream, "title"),
        is_text=codec in TEXT_SUBTITLES,
    )


def _duration(container: Mapping[str, Any], streams: Sequence[Stream]) -> float:
    stated = _number(container.get("duration"))
    return stated if stated > 0 else max((_number(stream.get("duration")) for stream in streams), default=0.0)


def _rotation(stream: Stream) -> int:
    """Degrees clockwise to the upright picture; a display matrix counts them the other way round."""
    for side_data in _list(stream.get("side_data_list")):
        if "rotation" in side_data:
            return round(-_number(side_data["rotation"]) / 90) * 90 % 360
    return round(_number(_mapping(stream.get("tags")).get("rotate")) / 90) * 90 % 360


def _sar(stream: Stream) -> Fraction:
    sar = _fraction(str(stream.get("sample_aspect_ratio", "")).replace(":", "/"))
    return sar if Fraction(1, _LARGEST_SAR) <= sar <= _LARGEST_SAR else Fraction(1)


def _rates(stream: Stream) -> tuple[float, float]:
    declared = float(_fraction(stream.get("r_frame_rate")))
    average = float(_fraction(stream.get("avg_frame_rate")))
    if not 0 < declared <= _HIGHEST_FRAME_RATE:
        declared = average
    if not 0 < declared <= _HIGHEST_FRAME_RATE:
        declared = 25.0  # nobody says: what ffmpeg assumes
    return declared, average if 0 < average <= _HIGHEST_FRAME_RATE else declared


def _varies(declared: float, average: float, *, interlaced: bool) -> bool:
    expected = (declared, declared / 2) if interlaced else (declared,)  # fields are counted too
    return all(abs(average - rate) > _RATE_TOLERANCE * rate for rate in expected)


def _bit_depth(stream: Stream) -> int:
    stated = _whole(stream.get("bits_per_raw_sample"))
    named = _DEPTH_IN_NAME.search(str(stream.get("pix_fmt", "")))
    return stated or (int(named.group(1)) if named else 8)


def _tag(stream: Stream, name: str) -> str | None:
    value = _mapping(stream.get("tags")).get(name)
    return _CONTROL.sub(" ", value).strip()[:200] or None if isinstance(value, str) else None


def _flag(stream: Stream, name: str) -> bool:
    return _mapping(stream.get("disposition")).get(name) == 1


def _fraction(value: object) -> Fraction:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return Fraction(0)


def _number(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _whole(value: object) -> int:
    return int(_number(value))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
