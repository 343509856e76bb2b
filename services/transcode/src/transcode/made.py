"""What ffmpeg really made: lengths, bit rates and codecs, read from the files themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from media_common.errors import BadMedia
from media_common.media_info import MediaInfo
from media_common.verify import check_length
from transcode.arguments import INIT, PLAYLIST, Plan
from transcode.init_segment import InitSegment, read_init
from transcode.playlist import Rates, Segment, length_of, measure, read_segments

#: Containers without an index: their duration is guessed from the bit rate and proves nothing.
_GUESSING = frozenset({"mp3", "aac", "mpegts", "mpeg", "amr", "flac", "aiff", "caf"})


@dataclass(frozen=True, slots=True)
class Made:
    """One rendition as it lies on disk."""

    segments: tuple[Segment, ...]
    rates: Rates
    init: InitSegment

    @property
    def seconds(self) -> float:
        """Its length."""
        return length_of(self.segments)


def look_at(outputs: Path, plan: Plan) -> dict[str, Made]:
    """Look at every rendition, by folder. One for which nothing could be decoded is left out."""
    found = {folder: _look_into(outputs / folder) for folder in plan.folders}
    return {folder: made for folder, made in found.items() if made is not None}


def check_whole(info: MediaInfo, plan: Plan, made: Mapping[str, Made]) -> None:
    """Raise BadMedia unless the renditions show the whole file. ffmpeg ends a broken-off file with success.

    Damage inside the file is no failure: what can't be decoded is bridged by the last good frame and by silence.
    An empty sound track is none either, as long as there is a picture. Containers that only guess their
    duration are taken at what could be read.
    """
    if not made or any(picture.name not in made for picture in plan.pictures):
        raise BadMedia("nothing in the file could be decoded")
    if info.format_name.split(",")[0] in _GUESSING:
        return
    longest = max(rendition.seconds for rendition in made.values())
    check_length(longest, info.duration_s, "the longest rendition")
    if plan.pictures:
        check_length(made[plan.pictures[0].name].seconds, _picture_seconds(info), "the picture")


def _picture_seconds(info: MediaInfo) -> float:
    video = info.video
    if video is None or not video.frames or video.avg_frame_rate <= 0:
        return 0.0
    # A picture may end long before the sound does, so only its own count of frames says how long it is.
    return min(info.duration_s, video.frames / video.avg_frame_rate)


def _look_into(folder: Path) -> Made | None:
    playlist, init = folder / PLAYLIST, folder / INIT
    segments: Sequence[Segment] = read_segments(playlist.read_text()) if playlist.exists() else ()
    if length_of(segments) == 0 or not init.exists():
        return None  # of an empty track ffmpeg makes an empty segment
    return Made(tuple(segments), measure(folder, segments), read_init(init.read_bytes()))
