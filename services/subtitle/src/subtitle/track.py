"""One finished subtitle track, and the files and the playlist entry it becomes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from media_common.track_names import track_name, unused
from media_common.webvtt import Cue, render

#: The renditions are fragmented MP4 that starts at 0, so a cue's time is the media's (RFC 8216, section 3.5).
TIMESTAMP_MAP = "X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000"
WHOLE_FILE, SEGMENT, PLAYLIST = "subtitles.vtt", "segment.vtt", "index.m3u8"


@dataclass(frozen=True, slots=True)
class Track:
    """Subtitles in one language (BCP 47, None where not known)."""

    source: Literal["embedded", "speech"]
    cues: tuple[Cue, ...]
    language: str | None = None
    title: str | None = None
    default: bool = False
    forced: bool = False


@dataclass(frozen=True, slots=True)
class NamedTrack:
    """A track with the folder and the name that no other track of the asset has."""

    track: Track
    folder: str
    name: str
    default: bool

    def entry(self) -> dict[str, object]:
        """Give the rendition's entry for the multivariant playlist."""
        return {
            "uri": f"{self.folder}/{PLAYLIST}",
            "name": self.name,
            "language": self.track.language,
            "default": self.default,
            "forced": self.track.forced,
        }


def named(tracks: Sequence[Track]) -> list[NamedTrack]:
    """Give each track its folder and name, and make exactly one of them the default."""
    default = next((track for track in tracks if track.default and not track.forced), None)
    default = default or next((track for track in tracks if not track.forced), None)
    folders: set[str] = set()
    names: set[str] = set()
    result = []
    for track in tracks:
        folder = unused((track.language or "und") + ("-forced" if track.forced else ""), folders, "{}-{}")
        name = unused(_name(track), names)
        result.append(NamedTrack(track, folder, name, default=track is default))
    return result


def write_track(outputs: Path, named_track: NamedTrack, duration_s: float) -> None:
    """Write the whole file and, where there is anything to show, what HLS players read."""
    folder, cues = outputs / named_track.folder, named_track.track.cues
    folder.mkdir(parents=True)
    (folder / WHOLE_FILE).write_text(render(cues), "utf-8")
    if cues:
        (folder / SEGMENT).write_text(render(cues, TIMESTAMP_MAP), "utf-8")
        (folder / PLAYLIST).write_text(media_playlist(_length(cues, duration_s)), "utf-8")


def media_playlist(duration_s: float) -> str:
    """Write the playlist of one whole WebVTT segment.

    A film's subtitles are smaller than one video segment, so one segment is one request instead of
    hundreds. RFC 8216, section 6.2.4, lets subtitle renditions of VOD have another target duration than
    the picture's.
    """
    return "\n".join(
        [
            "#EXTM3U",
            "#EXT-X-VERSION:6",
            f"#EXT-X-TARGETDURATION:{max(1, math.ceil(duration_s))}",
            "#EXT-X-MEDIA-SEQUENCE:0",
            "#EXT-X-PLAYLIST-TYPE:VOD",
            f"#EXTINF:{duration_s:.3f},",
            SEGMENT,
            "#EXT-X-ENDLIST",
            "",
        ]
    )


def _length(cues: Iterable[Cue], duration_s: float) -> float:
    return max([duration_s, *(cue.end_s for cue in cues)])


def _name(track: Track) -> str:
    name = track_name(track.language, track.title, "Subtitles")
    return f"{name} (forced)" if track.forced and "forced" not in name.casefold() else name
