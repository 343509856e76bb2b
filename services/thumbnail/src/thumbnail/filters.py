"""The filter graph that makes sheets and poster from one row of pictures. Pure."""

from media_common.media_info import VideoStream
from media_common.picture_filters import to_sdr
from media_common.picture_size import Size
from thumbnail.storyboard import Storyboard

#: File that the graph writes: moment and brightness of each picture.
PICTURE_LOG = "pictures.txt"
#: The poster is taken from so many pictures, the first ones after a tenth of the video.
CANDIDATES = 10
POSTER_AFTER = 0.1
#: A picture counts as dark when nine tenths of it are below this luma (0 to 255).
DARK = 40

#: JPEG's own colours: BT.601, full range.
_JPEG = ("scale=out_color_matrix=bt601:out_range=pc", "format=yuvj420p")
_TURNS = {90: ("transpose=clock",), 180: ("hflip", "vflip"), 270: ("transpose=cclock",)}


def picture_graph(
    video: VideoStream, board: Storyboard, poster: Size, *, stream: int, duration_s: float, every_s: float | None
) -> str:
    """Write the graph from a stream of the input to ``[sheet]`` and ``[poster]``.

    every_s: take a picture each so many seconds; None when the stream holds nothing but the pictures.
    """
    chosen = (f"select='gte(t,selected_n*{every_s:.6f})'",) if every_s else ()
    sheet = (
        *_upright(video, board.tile),
        "signalstats",
        f"metadata=mode=print:file={PICTURE_LOG}",
        f"tile={board.columns}x{board.rows}",
    )
    after = duration_s * POSTER_AFTER
    best = (
        f"select='gte(t,{after:.6f})*lt(selected_n,{CANDIDATES})'",
        *_upright(video, poster),
        "signalstats",
        f"metadata=mode=select:key=lavfi.signalstats.YHIGH:value={DARK}:function=greater",
        f"thumbnail={CANDIDATES}",
        "format=yuvj420p",
    )
    start = ",".join([*chosen, "split=2"])
    return f"[0:{stream}]{start}[a][b];[a]{','.join(sheet)}[sheet];[b]{','.join(best)}[poster]"


def one_picture_graph(video: VideoStream, poster: Size, *, stream: int, at_s: float) -> str:
    """Write the graph that makes ``[poster]`` from the first picture at or after at_s (seconds), dark or not."""
    return f"[0:{stream}]select='gte(t,{at_s:.6f})',{','.join(_upright(video, poster))}[poster]"


def _upright(video: VideoStream, size: Size) -> tuple[str, ...]:
    """Give the filters from a coded picture to an upright one of square pixels, in JPEG's colours."""
    turned = video.rotation in (90, 270)
    width, height = (size.height, size.width) if turned else (size.width, size.height)
    # One field of an interlaced frame: half the lines, but no combs, and no neighbours needed.
    fields = ("field=type=top",) if video.interlaced else ()
    return (*fields, f"scale={width}:{height}", *to_sdr(video), *_JPEG, *_TURNS.get(video.rotation, ()), "setsar=1")
