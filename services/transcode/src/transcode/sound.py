"""Which audio renditions a file gets. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from media_common.media_info import AudioStream
from media_common.track_names import track_name, unused

#: Sound tracks at most; the rest of a disc's commentaries is left out.
MOST_TRACKS = 8
#: kbit/s for each channel of AAC-LC.
CHANNEL_RATE = 64


@dataclass(frozen=True, slots=True)
class AudioRendition:
    """One sound track to make: from which stream, into which folder, and what a player shows for it.

    language: BCP 47, None where the file does not say.
    """

    stream: int
    folder: str
    name: str
    language: str | None
    default: bool
    channels: int

    @property
    def rate(self) -> int:
        """Bit rate in kbit/s."""
        return self.channels * CHANNEL_RATE


def choose_audio(tracks: Sequence[AudioStream]) -> tuple[AudioRendition, ...]:
    """Choose the audio renditions, the default one first: the first track flagged as default, else the first.

    More than two channels become stereo, which every player can play. Names are unique, as a group asks for.
    """
    ordered = sorted(tracks, key=lambda track: not track.default)[:MOST_TRACKS]
    names: set[str] = set()
    return tuple(_rendition(track, number, names) for number, track in enumerate(ordered, start=1))


def _rendition(track: AudioStream, number: int, names: set[str]) -> AudioRendition:
    return AudioRendition(
        stream=track.index,
        folder="audio" if number == 1 else f"audio-{number}",
        name=unused(track_name(track.language, track.title, f"Audio {number}"), names),
        language=track.language,
        default=number == 1,
        channels=min(2, max(1, track.channels)),
    )
