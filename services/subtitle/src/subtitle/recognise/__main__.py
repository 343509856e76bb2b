"""The recogniser's own process: sound file in, JSON lines out.

A process of its own, so that the worker stays small between jobs, a crash in native code costs one
attempt and not a worker, and time and memory can be bounded.
"""

import argparse
import os
import sys
from pathlib import Path

from subtitle.recognise import Recogniser, UnknownLanguage, Word
from subtitle.recognise.engines import SPHINX, WHISPER
from subtitle.recognise.windows import recognised
from subtitle.recognise.wire import Ending, Message, encode, messages

#: Read when the libraries are imported. A model is a folder; nothing here may ask the network for one.
#: OpenBLAS would take a buffer per processor for no speed.
_ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "OPENBLAS_NUM_THREADS": "1"}


def main() -> int:
    """Listen to one file and tell what was said."""
    asked = _arguments()
    try:
        recogniser = _load(asked)
    except UnknownLanguage:
        _tell(Ending(asked.language, unknown_language=True))
        return 0
    for segment in recognised(asked.sound, recogniser):
        for message in messages(segment):
            _tell(message)
    _tell(Ending(recogniser.language))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="subtitle.recognise", description=__doc__)
    parser.add_argument("sound", type=Path, help="16 kHz mono s16 samples without a header")
    parser.add_argument("--engine", choices=[WHISPER, SPHINX], required=True)
    parser.add_argument("--model", type=Path, help="the model's folder")
    parser.add_argument("--language", help="what is spoken (BCP 47); found out where not given")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def _load(asked: argparse.Namespace) -> Recogniser:
    os.environ.update(_ENVIRONMENT)
    # Only the engine that was asked for is imported: each brings its own native libraries.
    if asked.engine == SPHINX:
        from subtitle.recognise.sphinx import SphinxRecogniser  # noqa: PLC0415

        return SphinxRecogniser(language=asked.language)
    from subtitle.recognise.whisper import WhisperRecogniser  # noqa: PLC0415

    return WhisperRecogniser(asked.model, language=asked.language, threads=asked.threads)


def _tell(message: Message) -> None:
    sys.stdout.write(encode(message) + "\n")
    if not isinstance(message, Word):
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
