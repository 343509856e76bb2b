"""The sound track to words: ffmpeg decodes, a child process listens."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from media_common.child import run_child
from media_common.errors import ToolFailed
from media_common.ffmpeg import input_arguments
from media_common.job import Task
from media_common.media_info import AudioStream, MediaInfo
from media_common.task_ffmpeg import run_for
from subtitle.recognise import BYTES_PER_SECOND, SAMPLE_RATE, Word
from subtitle.recognise.engines import Engine
from subtitle.recognise.wire import Ending, Heard, decode
from subtitle.settings import SubtitleSettings
from subtitle.timeline import beginning

log = structlog.get_logger()

#: Part of the job that decoding is; listening is the rest.
_DECODE_SHARE = 0.1
#: Sound may run on a little after the picture; a broken clock must not fill the disk with silence.
_OVERRUN_S = 10.0
_SWITCHED_OFF = "speech recognition is switched off (MEDIAFLOW_SUBTITLE_ENGINE=none)"


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said, and in which language (BCP 47).

    engine: what listened, if anything did. assumed: the track does not say its language, and the model
    knows only this one. reason: why there are no words.
    """

    words: tuple[Word, ...] = ()
    language: str | None = None
    engine: Engine | None = None
    assumed: bool = False
    reason: str | None = None


def transcribe(task: Task, engine: Engine | None, settings: SubtitleSettings) -> Transcript:
    """Listen to the default sound track. No sound, no speech or no engine for it is no error."""
    stream = chosen_track(task.info)
    if stream is None:
        return Transcript(reason="no sound track")
    language = stream.language
    if engine is None:
        return Transcript(language=language, reason=_SWITCHED_OFF)
    primary = language.split("-")[0] if language else None
    if not engine.hears(primary):
        return Transcript(language=language, reason=_no_engine(language))
    sound = task.outputs / "speech.s16"  # a scratch file: gone before the outputs are looked at
    try:
        _decode(task, stream, sound)
        heard = _listen(task, sound, engine, _command(sound, engine, primary, settings.threads), settings)
    finally:
        sound.unlink(missing_ok=True)
    if heard.ending.unknown_language:
        return Transcript(language=language, reason=_no_engine(language))
    return Transcript(
        tuple(heard.words),
        language or heard.ending.language,
        engine,
        assumed=language is None and engine.languages is not None,
        reason=None if heard.words else "no speech was found",
    )


def chosen_track(info: MediaInfo) -> AudioStream | None:
    """Give the track a player would start with."""
    return next((stream for stream in info.audio if stream.default), info.audio[0] if info.audio else None)


def decode_arguments(source: Path, stream: AudioStream, sound: Path, *, start_s: float, duration_s: float) -> list[str]:
    """Give ffmpeg's arguments for 16 kHz mono samples that begin at start_s of the file's own clock. Pure."""
    # Without -copyts, ffmpeg's 0 is the first sound in some containers and the first picture in others.
    moved = f"asetpts=PTS-({start_s:.6f})/TB"
    # async fills gaps in the track with silence, first_pts a late start: otherwise all later words come too early
    steady = f"aresample={SAMPLE_RATE}:async=1:first_pts=0"
    return [
        *("-copyts", *input_arguments(source, threads=1)),
        *("-map", f"0:{stream.index}", "-af", f"{moved},{steady}", "-filter_threads", "1"),
        *("-ac", "1", "-ar", str(SAMPLE_RATE), "-c:a", "pcm_s16le"),
        *("-t", f"{duration_s + _OVERRUN_S:.3f}", "-f", "s16le", "-y", str(sound)),
    ]


def _decode(task: Task, stream: AudioStream, sound: Path) -> None:
    arguments = decode_arguments(
        task.source, stream, sound, start_s=beginning(task.info), duration_s=task.info.duration_s
    )
    run_for(task, arguments, step="decoding sound", share=_DECODE_SHARE)


def _command(sound: Path, engine: Engine, language: str | None, threads: int) -> list[str]:
    command = [sys.executable, "-m", "subtitle.recognise", "--engine", engine.name, "--threads", str(threads)]
    if engine.folder:
        command += ["--model", str(engine.folder)]
    if language:
        command += ["--language", language]
    return [*command, "--", str(sound)]


def _listen(task: Task, sound: Path, engine: Engine, command: list[str], settings: SubtitleSettings) -> "_Heard":
    sound_s = sound.stat().st_size / BYTES_PER_SECOND
    listening = _Listening(lambda until_s: _report(task, until_s / sound_s))
    try:
        report = run_child(
            command,
            cwd=sound.parent,
            time_limit_s=task.remaining(),
            memory_limit_mb=settings.memory_limit_mb,
            cancelled=task.cancelled,
            on_line=listening.on_line,
        )
    except ToolFailed as error:
        # Native code that gets no memory may just crash, so the limit is worth a look.
        raise ToolFailed(
            f"{engine.name} ({engine.model}) failed: {error}"
            f" (MEDIAFLOW_SUBTITLE_MEMORY_LIMIT_MB is {settings.memory_limit_mb})",
            details=error.details,
        ) from error
    heard = listening.heard()
    log.info(
        "speech_recognised",
        asset_id=task.asset_id,
        engine=engine.name,
        model=engine.model,
        words=len(heard.words),
        sound_s=round(sound_s, 1),
        cpu_s=round(report.user_s + report.system_s, 1),
        peak_mb=report.max_rss_bytes >> 20,
    )
    return heard


@dataclass(frozen=True, slots=True)
class _Heard:
    words: list[Word]
    ending: Ending


class _Listening:
    """Takes down what the recogniser's process tells."""

    def __init__(self, until: Callable[[float], None]) -> None:
        self._until = until
        self._words: list[Word] = []
        self._ending: Ending | None = None

    def on_line(self, line: str) -> None:
        match decode(line):
            case Word() as word:
                self._words.append(word)
            case Heard(until_s):
                self._until(until_s)
            case Ending() as ending:
                self._ending = ending

    def heard(self) -> _Heard:
        """Give all that was told. Raises ToolFailed when the recogniser did not say that it is done."""
        if self._ending is None:
            raise ToolFailed("the speech recogniser ended before it was done")
        return _Heard(self._words, self._ending)


def _report(task: Task, share: float) -> None:
    task.progress(100 * (_DECODE_SHARE + (1 - _DECODE_SHARE) * min(1.0, share)), "recognising speech")


def _no_engine(language: str | None) -> str:
    return f"no engine for language {language}: give MEDIAFLOW_SUBTITLE_WHISPER_MODEL a multilingual model"
