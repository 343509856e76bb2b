"""The channel's work: text tracks where the file has them, else what is said in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from media_common.job import Task
from subtitle.cues import build_cues
from subtitle.embedded import Skipped, read_tracks
from subtitle.recognise.engines import Engine
from subtitle.settings import SubtitleSettings
from subtitle.speech import Transcript, transcribe
from subtitle.track import WHOLE_FILE, NamedTrack, Track, named, write_track


@dataclass(frozen=True, slots=True)
class SubtitleWork:
    """Makes WebVTT and its HLS rendition of one asset. engine None: text tracks only."""

    engine: Engine | None
    settings: SubtitleSettings

    def __call__(self, task: Task) -> Mapping[str, object]:
        """Write `<language>/subtitles.vtt` for each track; a file without a word is an empty, valid one."""
        tracks, skipped = read_tracks(task)
        spoken = None
        # Forced tracks translate only the odd foreign sentence; they are no subtitles of the whole.
        if all(track.forced for track in tracks):
            spoken = transcribe(task, self.engine, self.settings)
            if spoken.words or not tracks:
                tracks = [_spoken_track(spoken), *tracks]
        renditions = named(tracks)
        for rendition in renditions:
            write_track(task.outputs, rendition, task.info.duration_s)
        return details(renditions, skipped, spoken)


def details(
    renditions: Sequence[NamedTrack], skipped: Sequence[Skipped], spoken: Transcript | None
) -> dict[str, object]:
    """Give what the result says of the work. The first fields are about the track shown by default. Pure."""
    shown = next((each for each in renditions if each.default), renditions[0])
    heard = spoken if spoken and shown.track.source == "speech" else None
    engine = heard.engine if heard else None
    return {
        "source": shown.track.source,
        "language": shown.track.language,
        "languageAssumed": heard.assumed if heard else False,
        "engine": engine.name if engine else None,
        "model": engine.model if engine else None,
        "draft": engine.draft if engine else False,
        "cues": len(shown.track.cues),
        "words": sum(len(cue.text.split()) for cue in shown.track.cues),
        "reason": spoken.reason if spoken else None,
        "tracks": [_track_detail(each) for each in renditions],
        "skipped": [each.detail() for each in skipped],
        "hls": {"subtitles": [each.entry() for each in renditions if each.track.cues]},
    }


def _spoken_track(spoken: Transcript) -> Track:
    return Track("speech", tuple(build_cues(spoken.words)), spoken.language)


def _track_detail(rendition: NamedTrack) -> dict[str, object]:
    track = rendition.track
    return {
        "file": f"{rendition.folder}/{WHOLE_FILE}",
        "name": rendition.name,
        "language": track.language,
        "source": track.source,
        "default": rendition.default,
        "forced": track.forced,
        "cues": len(track.cues),
    }
