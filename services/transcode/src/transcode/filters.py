"""The filter graph: one decode, all renditions. Pure."""

from collections.abc import Sequence
from fractions import Fraction

from media_common.media_info import VideoStream
from media_common.picture_filters import to_sdr
from transcode.ladder import Rendition


def video_graph(video: VideoStream, renditions: Sequence[Rendition], rate: Fraction) -> str:
    """Write the graph that turns the picture into ``[v0]``, ``[v1]`` …, one for each rendition (best first).

    The source is brought to the best rendition's size once, and the others are scaled from that: the dear steps
    (deinterlacing, tone mapping, a 4K source) are done once and on the fewest pixels. Rotation is done by ffmpeg
    before the graph.
    """
    best = renditions[0]
    steps = [
        *_deinterlaced(video),
        # One clock for all renditions: constant, from 0 even when the picture comes late, no hole on bad input.
        f"fps={rate.numerator}/{rate.denominator}:start_time=0",
        _scaled(best),
        *to_sdr(video),
        "setsar=1",
        "format=yuv420p",
    ]
    if len(renditions) == 1:
        return f"[0:{video.index}]{','.join(steps)}[v0]"
    copies = "".join(f"[s{number}]" for number in range(1, len(renditions)))
    lines = [f"[0:{video.index}]{','.join(steps)},split={len(renditions)}[v0]{copies}"]
    for number, rendition in enumerate(renditions[1:], start=1):
        lines.append(f"[s{number}]{_scaled(rendition)},setsar=1[v{number}]")
    return ";".join(lines)


def _scaled(rendition: Rendition) -> str:
    # Phones record the full range of values; players expect the limited one.
    return f"scale={rendition.size.width}:{rendition.size.height}:out_range=tv"


def _deinterlaced(video: VideoStream) -> tuple[str, ...]:
    return ("bwdif=mode=send_frame:deint=interlaced",) if video.interlaced else ()
