"""What the recogniser's process tells the worker: one short JSON object a line.

A line a word, since the worker takes only a few kilobytes as one line.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from subtitle.recognise import Segment, Word


@dataclass(frozen=True, slots=True)
class Heard:
    """All words that start before until_s (seconds) have been told."""

    until_s: float


@dataclass(frozen=True, slots=True)
class Ending:
    """The last line. unknown_language: the model does not know the language it was asked to listen for."""

    language: str | None
    unknown_language: bool = False


Message = Word | Heard | Ending


def messages(segment: Segment) -> Iterator[Message]:
    """Take a segment apart."""
    yield from segment.words
    yield Heard(segment.until_s)


def encode(message: Message) -> str:
    """Write one line, without its end."""
    match message:
        case Word(text, start_s, end_s, glued):
            return json.dumps({"word": text, "startS": round(start_s, 3), "endS": round(end_s, 3), "glued": glued})
        case Heard(until_s):
            return json.dumps({"untilS": round(until_s, 3)})
        case Ending(language, unknown_language):
            return json.dumps({"language": language, "unknownLanguage": unknown_language})


def decode(line: str) -> Message | None:
    """Read one line; None for anything else a native library may have printed."""
    try:
        match json.loads(line):
            case {"word": str(text), "startS": start_s, "endS": end_s, "glued": bool(glued)}:
                return Word(text, float(start_s), float(end_s), glued)
            case {"untilS": until_s}:
                return Heard(float(until_s))
            case {"language": str() | None as language, "unknownLanguage": bool(unknown_language)}:
                return Ending(language, unknown_language)
    except (ValueError, TypeError):
        pass
    return None
