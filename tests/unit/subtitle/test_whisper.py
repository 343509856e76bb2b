"""Whisper's edge: languages and words, with the model itself replaced."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from subtitle.recognise import UnknownLanguage, Word, whisper
from subtitle.recognise.whisper import WhisperRecogniser

SPEECH, SILENCE = b"\1\0" * 16000, bytes(32000)


@dataclass
class FakeModel:
    """Says two words whatever it is given, and remembers how it was asked."""

    supported_languages: list[str]
    asked: list[str]
    detected: str = "tr"

    def transcribe(self, _: Any, *, language: str, vad_filter: bool, word_timestamps: bool, **__: Any) -> Any:
        assert vad_filter
        assert word_timestamps
        self.asked.append(language)
        said = [SimpleNamespace(word=" ill", start=1.0, end=1.2), SimpleNamespace(word="-disposed", start=1.2, end=2.0)]
        return [SimpleNamespace(words=said)], None

    def detect_language(self, _: Any, *, vad_filter: bool) -> tuple[str, float, list[object]]:
        assert vad_filter
        return self.detected, 0.9, []


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    """A model of many languages."""
    fake = FakeModel(["en", "tr", "jw"], [])

    def load(folder: str, *, local_files_only: bool, **_: Any) -> FakeModel:
        assert local_files_only
        return fake

    monkeypatch.setattr(whisper, "WhisperModel", load)
    monkeypatch.setattr(whisper, "get_speech_timestamps", lambda sound: [{}] if sound.any() else [])
    return fake


def test_words_come_without_blanks_and_say_whether_they_are_glued(model: FakeModel) -> None:
    recogniser = WhisperRecogniser(Path("m"), language="en", threads=1)
    assert recogniser.words(SPEECH) == [Word("ill", 1.0, 1.2), Word("-disposed", 1.2, 2.0, glued=True)]


def test_a_language_is_found_in_the_first_window_with_speech_and_kept(model: FakeModel) -> None:
    recogniser = WhisperRecogniser(Path("m"), language=None, threads=1)
    assert recogniser.words(SILENCE) == []
    assert recogniser.language is None
    recogniser.words(SPEECH)
    model.detected = "en"
    recogniser.words(SPEECH)
    assert recogniser.language == "tr"
    assert model.asked == ["tr", "tr"]


def test_an_english_model_takes_what_says_nothing_for_english(model: FakeModel) -> None:
    model.supported_languages = ["en"]
    assert WhisperRecogniser(Path("m"), language=None, threads=1).language == "en"


def test_a_language_it_does_not_know_is_refused(model: FakeModel) -> None:
    with pytest.raises(UnknownLanguage):
        WhisperRecogniser(Path("m"), language="ku", threads=1)


def test_whispers_own_name_for_javanese_stays_inside(model: FakeModel) -> None:
    recogniser = WhisperRecogniser(Path("m"), language="jv", threads=1)
    recogniser.words(SPEECH)
    assert model.asked == ["jw"]
    assert recogniser.language == "jv"
