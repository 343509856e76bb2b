"""The ffmpeg command that makes a whole asset in one run. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from media_common.ffmpeg import filter_threads, input_arguments
from media_common.media_info import MediaInfo
from media_common.picture_size import Size
from transcode.filters import video_graph
from transcode.frame_rate import output_frame_rate, segment_frames
from transcode.ladder import Rendition, choose_ladder
from transcode.sound import AudioRendition, choose_audio

#: Length of a segment in seconds, as Apple's authoring specification for HLS advises.
SEGMENT_S = 6
PLAYLIST = "index.m3u8"
INIT = "init.mp4"
#: Above this many frames per second a picture may take half as many bits more.
_FAST = 31


@dataclass(frozen=True, slots=True)
class Plan:
    """What is made of one file."""

    pictures: tuple[Rendition, ...]
    sounds: tuple[AudioRendition, ...]
    frame_rate: Fraction

    @property
    def folders(self) -> tuple[str, ...]:
        """Folder of each rendition, pictures first."""
        return (*(picture.name for picture in self.pictures), *(sound.folder for sound in self.sounds))


def plan_for(info: MediaInfo, max_frame_rate: float) -> Plan:
    """Decide what to make of a probed file."""
    video = info.video
    if video is None:
        return Plan((), choose_audio(info.audio), Fraction(0))
    pictures = choose_ladder(Size(video.width, video.height))
    return Plan(pictures, choose_audio(info.audio), output_frame_rate(video, max_frame_rate))


def transcode_arguments(source: Path, info: MediaInfo, plan: Plan, threads: int) -> list[str]:
    """Write the arguments of the one ffmpeg run; output paths are relative to the outputs' folder.

    threads: of the decoder, of each filter and of each encoder. ffmpeg would size its pools by the machine's
    processors, not by this job's share of them.
    """
    arguments = [*filter_threads(threads), *input_arguments(source, threads=threads)]
    if info.video is not None:
        arguments += ["-filter_complex", video_graph(info.video, plan.pictures, plan.frame_rate)]
    for number, picture in enumerate(plan.pictures):
        arguments += _picture_output(number, picture, plan.frame_rate, threads)
    for sound in plan.sounds:
        arguments += _sound_output(sound, threads)
    return arguments


def _picture_output(number: int, picture: Rendition, rate: Fraction, threads: int) -> list[str]:
    rung = picture.rung
    share = 1.5 if rate > _FAST else 1.0
    return [
        *("-map", f"[v{number}]", "-map_metadata", "-1", "-c:v", "libx264", "-preset", "veryfast"),
        *("-profile:v", "high", "-crf", str(rung.crf)),
        *("-maxrate", f"{rung.max_rate * share:.0f}k", "-bufsize", f"{rung.buffer * share:.0f}k"),
        # Key frames at the same frames of every rendition, and nowhere else.
        *("-g", str(segment_frames(rate, SEGMENT_S)), "-sc_threshold", "0"),
        *("-force_key_frames", f"expr:gte(t,n_forced*{SEGMENT_S})", "-threads", str(threads)),
        *_segments(picture.name),
    ]


def _sound_output(sound: AudioRendition, threads: int) -> list[str]:
    return [
        *("-map", f"0:{sound.stream}", "-map_metadata", "-1"),
        # Silence where samples are missing, so that sound and picture stay together.
        *("-af", "aresample=async=1:first_pts=0", "-c:a", "aac", "-ac", str(sound.channels), "-ar", "48000"),
        *("-b:a", f"{sound.rate}k", "-threads", str(threads)),
        *_segments(sound.folder),
    ]


def _segments(folder: str) -> Sequence[str]:
    return (
        *("-f", "hls", "-hls_time", str(SEGMENT_S), "-hls_playlist_type", "vod"),
        *("-hls_flags", "independent_segments", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", INIT),
        # Otherwise each rendition is shifted by its own encoder's delay and sound and picture part.
        *("-avoid_negative_ts", "disabled"),
        *("-start_number", "1", "-hls_segment_filename", f"{folder}/seg-%05d.m4s", f"{folder}/{PLAYLIST}"),
    )
