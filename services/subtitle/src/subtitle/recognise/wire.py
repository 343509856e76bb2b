"""What the recogniser's process tells the worker: one JSON object a line."""

import json
from dataclasses import dataclass

from subtitle.recognise import Segment, Word


@dataclass(frozen=True, slots=True)
class Ending:
    """The last line. reason: why there are no words where the engine had to refuse; else None."""

    language: str | None
    unknown_language: bool = False


def encode(message: Segment | Ending) -> str:
    """Write one line, without its end."""
    if isinstance(message, Ending):
        return json.dumps({"language": message.language, "unknownLanguage": message.unknown_language})
    words = [[word.text, round(word.start_s, 3), round(word.end_s, 3), word.glued] for word in message.words]
    return json.dumps({"untilS": message.until_s, "words": words})


def decode(line: str) -> Segment | Ending | None:
    """Read one line; None for anything else a native library may have printed."""
    try:
        told = json.loads(line)
        if "words" in told:
            return Segment(float(told["untilS"]), tuple(Word(*word) for word in told["words"]))
        return Ending(told["language"], bool(told["unknownLanguage"]))
    except (ValueError, TypeError, KeyError):
        return None
