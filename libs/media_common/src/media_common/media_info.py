"""What a media file holds, as the rest of the code sees it."""

from dataclasses import dataclass
from fractions import Fraction

#: Transfer functions of high dynamic range: PQ (SMPTE ST 2084) and HLG (ARIB STD-B67).
HDR_TRANSFERS = frozenset({"smpte2084", "arib-std-b67"})


@dataclass(frozen=True, slots=True)
class VideoStream:
    """The picture. `width` and `height` are what a viewer sees: upright and in square pixels."""

    index: int
    codec: str
    width: int
    height: int
    coded_width: int
    coded_height: int
    sar: Fraction
    #: degrees clockwise that make the coded picture upright: 0, 90, 180 or 270
    rotation: int
    #: pictures per second as the container declares them (for variable rates: the densest)
    frame_rate: float
    #: pictures per second over the whole length
    avg_frame_rate: float
    is_vfr: bool
    pixel_format: str
    bit_depth: int
    color_transfer: str | None
    is_hdr: bool
    interlaced: bool
    #: seconds on the file's own clock
    start_s: float
    #: as the container counts them, which not every container does
    frames: int | None


@dataclass(frozen=True, slots=True)
class AudioStream:
    """One sound track. `language` is a BCP 47 tag, None where the file says nothing of use."""

    index: int
    codec: str
    channels: int
    sample_rate: int
    language: str | None
    default: bool
    title: str | None


@dataclass(frozen=True, slots=True)
class SubtitleStream:
    """One subtitle track. `language` as for sound. Bitmap tracks (`is_text` False) cannot become text."""

    index: int
    codec: str
    language: str | None
    default: bool
    forced: bool
    title: str | None
    is_text: bool


@dataclass(frozen=True, slots=True)
class MediaInfo:
    """A probed file: at least a picture or a sound. Cover art is neither. Sizes in bytes, times in seconds."""

    format_name: str
    duration_s: float
    size: int
    video: VideoStream | None
    audio: tuple[AudioStream, ...] = ()
    subtitles: tuple[SubtitleStream, ...] = ()
    #: the first moment of picture or sound on the file's own clock; many transport streams do not start at 0
    start_s: float = 0.0
    #: index of the stream that is a picture to show for the whole file (a song's cover)
    cover: int | None = None
