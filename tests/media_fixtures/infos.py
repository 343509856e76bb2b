"""Probed files made by hand, for tests of pure functions."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from media_common.media_info import AudioStream, MediaInfo, VideoStream

_PICTURE = VideoStream(
    index=0,
    codec="h264",
    width=1280,
    height=720,
    coded_width=1280,
    coded_height=720,
    sar=Fraction(1),
    rotation=0,
    frame_rate=30.0,
    avg_frame_rate=30.0,
    is_vfr=False,
    pixel_format="yuv420p",
    bit_depth=8,
    color_transfer=None,
    is_hdr=False,
    interlaced=False,
    start_s=0.0,
    frames=None,
)
_SOUND = AudioStream(index=1, codec="aac", channels=2, sample_rate=48000, language=None, default=False, title=None)
_FILE = MediaInfo(format_name="mov,mp4,m4a,3gp,3g2,mj2", duration_s=60.0, size=1_000_000, video=_PICTURE, audio=())


def a_picture(**changes: Any) -> VideoStream:
    """Give a 720p30 picture with some changes."""
    return replace(_PICTURE, **changes)


def a_sound(**changes: Any) -> AudioStream:
    """Give a stereo track with some changes."""
    return replace(_SOUND, **changes)


def a_file(**changes: Any) -> MediaInfo:
    """Give a minute of silent 720p30 in an MP4 with some changes."""
    return replace(_FILE, **changes)
