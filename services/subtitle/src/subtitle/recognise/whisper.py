"""Whisper by faster-whisper (CTranslate2), on the processor, from a folder; the network is never asked."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel
from faster_whisper.vad import get_speech_timestamps

from subtitle.recognise import UnknownLanguage, Word

#: One second try for a passage that came out as a loop. The library's five more, of five guesses each, cost
#: up to five times the CPU on music and repeated text and lost as many words (194 s: 68 against 16 CPU s).
_TEMPERATURES = [0.0, 0.4]
#: Whisper's own names that are not BCP 47.
_TO_WHISPER = {"jv": "jw"}
_FROM_WHISPER = {name: tag for tag, name in _TO_WHISPER.items()}


class WhisperRecogniser:
    """A Whisper model; without a language it takes the one it hears first."""

    def __init__(self, folder: Path, *, language: str | None, threads: int) -> None:
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self._language = self._known(language)

    @property
    def language(self) -> str | None:
        """What is spoken (BCP 47), once it is known."""
        return _FROM_WHISPER.get(self._language, self._language) if self._language else None

    def words(self, samples: bytes) -> list[Word]:
        """Recognise one window. Voice activity first: silence would otherwise become "you"."""
        sound = np.frombuffer(samples, dtype="<i2").astype(np.float32) / np.float32(32768)
        if self._language is None:
            self._language = self._heard(sound)
            if self._language is None:
                return []
        segments, _ = self._model.transcribe(
            sound,
            language=self._language,
            vad_filter=True,
            word_timestamps=True,  # a segment's own start can be seconds early
            condition_on_previous_text=False,  # one invented sentence would repeat itself to the end
            temperature=_TEMPERATURES,
            best_of=1,
        )
        return [_word(each) for segment in segments for each in segment.words or ()]

    def _known(self, language: str | None) -> str | None:
        known = self._model.supported_languages
        if language is None:
            return known[0] if len(known) == 1 else None
        name = _TO_WHISPER.get(language, language)
        if name not in known:
            raise UnknownLanguage(language)
        return name

    def _heard(self, sound: npt.NDArray[np.float32]) -> str | None:
        if not get_speech_timestamps(sound):
            return None
        language: str = self._model.detect_language(sound, vad_filter=True)[0]
        return language


def _word(heard: object) -> Word:
    text: str = heard.word  # type: ignore[attr-defined]
    start, end = float(heard.start), float(heard.end)  # type: ignore[attr-defined]
    return Word(text.strip(), start, end, glued=not text.startswith(" "))
