"""The text tracks a file brings along, read by one run of ffmpeg."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from media_common.ffmpeg import input_arguments
from media_common.job import Task
from media_common.media_info import SubtitleStream
from media_common.task_ffmpeg import run_for
from subtitle.scripts import parse_ass, parse_subrip, tidied
from subtitle.timeline import beginning
from subtitle.track import Track

#: Text codecs, and the form in which ffmpeg hands them over. ASS keeps its own, since its drawings and
#: comments must be told from its text; SubRip carries all the others to the millisecond.
FORMS = {
    "ass": "ass",
    "ssa": "ass",
    "mov_text": "srt",
    "subrip": "srt",
    "srt": "srt",
    "webvtt": "srt",
    "text": "srt",
}
#: More tracks than any film has.
MAX_TRACKS = 64
#: Bytes read of one track as ffmpeg writes it; a film's dialogue is 0.2 MB.
MAX_TRACK_BYTES = 16 * 1024 * 1024

#: ffmpeg stops at the last packet that still fits.
_CUT_OFF_BYTES = MAX_TRACK_BYTES - 256 * 1024

#: Part of the job that reading the tracks is when nothing else follows.
_READ_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Skipped:
    """A subtitle track that did not become text, or not all of it, and why."""

    index: int
    codec: str
    language: str | None
    reason: str

    def detail(self) -> dict[str, object]:
        """Give it as it stands in the result."""
        return {"index": self.index, "codec": self.codec, "language": self.language, "reason": self.reason}


def read_tracks(task: Task) -> tuple[list[Track], list[Skipped]]:
    """Read every text track; tell of the ones that cannot become text."""
    streams, skipped = sorted_out(task.info.subtitles)
    if not streams:
        return [], skipped
    scripts = {stream: task.outputs / f"track{stream.index}.{FORMS[stream.codec]}" for stream in streams}
    try:
        run_for(task, extract_arguments(task.source, scripts), step="reading text tracks", share=_READ_SHARE)
        start_s = beginning(task.info)
        tracks = [_track(stream, _read(script), start_s) for stream, script in scripts.items()]
        cut_off = [stream for stream, script in scripts.items() if _size(script) >= _CUT_OFF_BYTES]
    finally:
        for script in scripts.values():
            script.unlink(missing_ok=True)
    empty = [stream for stream, track in zip(streams, tracks, strict=True) if not track.cues]
    skipped += [_skipped(stream, "the track holds no text") for stream in empty]
    skipped += [_skipped(stream, f"only its first {MAX_TRACK_BYTES >> 20} MiB were read") for stream in cut_off]
    return [track for track in tracks if track.cues], skipped


def sorted_out(streams: Sequence[SubtitleStream]) -> tuple[list[SubtitleStream], list[Skipped]]:
    """Divide tracks into those that are text and those that are not, or are too many. Pure."""
    text = [stream for stream in streams if stream.codec in FORMS]
    skipped = [
        _skipped(stream, "its format is not supported" if stream.is_text else "it is pictures, not text")
        for stream in streams
        if stream.codec not in FORMS
    ]
    skipped += [_skipped(stream, f"more than {MAX_TRACKS} text tracks") for stream in text[MAX_TRACKS:]]
    return text[:MAX_TRACKS], skipped


def extract_arguments(source: Path, scripts: dict[SubtitleStream, Path]) -> list[str]:
    """Give ffmpeg's arguments that write each track to its script, times by the file's own clock. Pure."""
    arguments = ["-copyts", *input_arguments(source, threads=1)]
    for stream, script in scripts.items():
        codec, form = ("copy", "ass") if FORMS[stream.codec] == "ass" else ("subrip", "srt")
        arguments += ["-map", f"0:{stream.index}", "-c:s", codec, "-f", form]
        arguments += ["-fs", str(MAX_TRACK_BYTES), "-y", str(script)]
    return arguments


def _size(script: Path) -> int:
    return script.stat().st_size if script.exists() else 0


def _read(script: Path) -> str:
    # ffmpeg leaves no file for a track without a single packet
    return script.read_text("utf-8", errors="replace") if script.exists() else ""


def _track(stream: SubtitleStream, script: str, start_s: float) -> Track:
    parse = parse_ass if FORMS[stream.codec] == "ass" else parse_subrip
    cues = tuple(tidied(parse(script), start_s=start_s))
    return Track("embedded", cues, stream.language, stream.title, default=stream.default, forced=stream.forced)


def _skipped(stream: SubtitleStream, reason: str) -> Skipped:
    return Skipped(stream.index, stream.codec, stream.language, reason)
