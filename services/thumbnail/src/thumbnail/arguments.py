"""The ffmpeg commands. Pure. Output names are relative to the folder ffmpeg runs in."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from media_common.ffmpeg import filter_threads, input_arguments
from media_common.media_info import VideoStream
from media_common.picture_size import Size
from thumbnail.filters import one_picture_graph, picture_graph
from thumbnail.storyboard import SHEET_PATTERN, Storyboard

POSTER = "poster.jpg"
#: mjpeg's scale: 2 is best, 31 worst.
_POSTER_QUALITY, _SHEET_QUALITY = "3", "5"


@dataclass(frozen=True, slots=True)
class KeyFrames:
    """Input: a file that holds nothing but the wanted pictures, as `thumbnail.keyframes` makes it."""

    path: Path
    stream: int = 0


@dataclass(frozen=True, slots=True)
class WholeVideo:
    """Input: the video itself, decoded from its start for at most `limit_s` seconds."""

    path: Path
    stream: int
    limit_s: float


Pictures = KeyFrames | WholeVideo


def picture_arguments(
    pictures: Pictures, video: VideoStream, board: Storyboard, poster: Size, *, duration_s: float, threads: int
) -> list[str]:
    """Write the run that makes all sheets, the poster and the log of the pictures."""
    every_s = board.step_s if isinstance(pictures, WholeVideo) else None
    graph = picture_graph(video, board, poster, stream=pictures.stream, duration_s=duration_s, every_s=every_s)
    return [
        *_opened(pictures, threads),
        *("-filter_complex", graph),
        *("-map", "[sheet]", *_images(_SHEET_QUALITY, threads), "-frames:v", str(board.sheets), SHEET_PATTERN),
        *("-map", "[poster]", *_images(_POSTER_QUALITY, threads), "-frames:v", "1", "-update", "1", POSTER),
    ]


def one_picture_arguments(
    pictures: Pictures, video: VideoStream, poster: Size, *, at_s: float, threads: int
) -> list[str]:
    """Write the run that makes the poster from the first picture at or after at_s, dark or not."""
    return [
        *_opened(pictures, threads),
        *("-filter_complex", one_picture_graph(video, poster, stream=pictures.stream, at_s=at_s)),
        *("-map", "[poster]", *_images(_POSTER_QUALITY, threads), "-frames:v", "1", "-update", "1", POSTER),
    ]


def cover_arguments(source: Path, stream: int, longer_side: int, threads: int) -> list[str]:
    """Write the run that makes the poster from an audio file's cover art."""
    box = f"scale='min({longer_side},iw)':'min({longer_side},ih)':force_original_aspect_ratio=decrease"
    return [
        *filter_threads(threads),
        *input_arguments(source, threads=threads),
        *("-map", f"0:{stream}", "-vf", f"{box},format=yuvj420p"),
        *(*_images(_POSTER_QUALITY, threads), "-frames:v", "1", "-update", "1", POSTER),
    ]


def _opened(pictures: Pictures, threads: int) -> list[str]:
    # Each picture is turned upright after it was made small, so ffmpeg must not turn it first.
    if isinstance(pictures, KeyFrames):
        # Moments as they stand in the file: ffmpeg would move the first one to 0.
        nut = ("-f", "nut", "-noautorotate", "-skip_frame", "nokey", "-threads", str(threads), "-i", str(pictures.path))
        return [*filter_threads(threads), "-copyts", "-protocol_whitelist", "file", *nut]
    # Frames that no other frame needs are half of the work and hardly missed.
    sparing = ("-noautorotate", "-skip_frame", "noref", "-t", f"{pictures.limit_s:.3f}")
    return [*filter_threads(threads), *input_arguments(pictures.path, threads=threads, extra=sparing)]


def _images(quality: str, threads: int) -> Sequence[str]:
    return ("-fps_mode", "passthrough", "-c:v", "mjpeg", "-q:v", quality, "-threads", str(threads), "-f", "image2")
