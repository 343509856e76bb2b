"""Which frame rate the renditions get. Pure."""

import math
from fractions import Fraction

from media_common.media_info import VideoStream

#: Where a container says nothing of use.
USUAL = Fraction(30)
#: Rates that players and screens are made for.
_STANDARD = (24, 25, 30, 50, 60)


def output_frame_rate(video: VideoStream, limit: float) -> Fraction:
    """Choose the constant rate, in frames per second, at which all renditions are made.

    A constant source keeps its rate; above `limit` every second, third … frame is kept. A variable source gets its
    densest rate (repeated frames cost next to nothing to encode); where that is nonsense, as the 1000 or 90000 of
    screen recorders, the next standard rate above its average.
    """
    declared = _exact(video.frame_rate)
    if declared is None:
        return _exact(video.avg_frame_rate, limit) or USUAL
    if video.interlaced and video.avg_frame_rate < 0.6 * video.frame_rate:
        declared /= 2  # fields were counted; two of them are one frame
    if declared <= limit:
        return declared
    if video.is_vfr:
        average = video.avg_frame_rate
        return Fraction(next((rate for rate in _STANDARD if rate >= average * 0.98 and rate <= limit), int(limit)))
    return declared / math.ceil(declared / Fraction(limit))


def segment_frames(rate: Fraction, seconds: int) -> int:
    """Give the frames of one segment: the longest distance between two key frames."""
    return max(1, math.ceil(rate * seconds))


def _exact(rate: float, limit: float = math.inf) -> Fraction | None:
    # 29.97 and its like are n/1001.
    if not math.isfinite(rate) or not 0 < rate <= limit:
        return None
    return Fraction(rate).limit_denominator(1001)
