"""PocketSphinx with the US English model it brings along: small, and wrong in every third word. A draft."""

import re
from io import BytesIO

from pocketsphinx import Decoder, Segmenter  # type: ignore[attr-defined]

from subtitle.recognise import SAMPLE_RATE, UnknownLanguage, Word

_FRAMES_PER_SECOND = 100
#: Seconds looked at, and the share of them that must be speech (or silence), to begin (or end) an utterance.
_VOICE_WINDOW_S, _VOICE_SHARE = 0.3, 0.9
#: Noise words and silence: <s>, <sil>, [NOISE], ++BREATH++.
_FILLER = re.compile(r"^[<\[+]")
#: The dictionary's other ways to say a word: "to(2)".
_VARIANT = re.compile(r"\(\d+\)$")


class SphinxRecogniser:
    """PocketSphinx; each stretch with a voice in it is one utterance."""

    language = "en"

    def __init__(self, *, language: str | None) -> None:
        if language not in (None, self.language):
            raise UnknownLanguage(language)
        self._decoder = Decoder(samprate=SAMPLE_RATE, loglevel="FATAL")

    def words(self, samples: bytes) -> list[Word]:
        """Recognise one window."""
        voices = Segmenter(_VOICE_WINDOW_S, _VOICE_SHARE, 0, SAMPLE_RATE).segment(BytesIO(samples))  # type: ignore[no-untyped-call]
        return [word for voice in voices for word in self._utterance(voice.pcm, voice.start_time)]

    def _utterance(self, samples: bytes, start_s: float) -> list[Word]:
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()
        return [
            Word(
                _VARIANT.sub("", heard.word),
                start_s + heard.start_frame / _FRAMES_PER_SECOND,
                start_s + (heard.end_frame + 1) / _FRAMES_PER_SECOND,
            )
            for heard in self._decoder.seg()
            if not _FILLER.match(heard.word)
        ]
