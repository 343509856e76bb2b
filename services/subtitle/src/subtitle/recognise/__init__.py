"""Speech to words. Runs in a child process; only the plain values below cross into the worker."""

from dataclasses import dataclass
from typing import Protocol

#: What every engine is fed: mono, signed 16 bit, little endian.
SAMPLE_RATE = 16_000
BYTES_PER_SECOND = 2 * SAMPLE_RATE


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word, with its punctuation. Times in seconds.

    glued: written without a blank before it: "-disposed" after "ill", or scripts without blanks.
    """

    text: str
    start_s: float
    end_s: float
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """The words of one window of sound; everything before until_s (seconds) has been listened to."""

    until_s: float
    words: tuple[Word, ...]


class UnknownLanguage(Exception):
    """The engine's model does not know the language it was asked to listen for."""


class Recogniser(Protocol):
    """An engine with its model loaded."""

    @property
    def language(self) -> str | None:
        """What is spoken (BCP 47), once it is known."""

    def words(self, samples: bytes) -> list[Word]:
        """Recognise one window of 16 kHz mono s16 sound; times count from the window's start."""
