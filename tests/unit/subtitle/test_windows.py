"""Long sound in windows."""

import math
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subtitle.recognise import BYTES_PER_SECOND, SAMPLE_RATE, Word
from subtitle.recognise.windows import quietest, recognised

TONE = array("h", (round(8000 * math.sin(at * 0.3)) for at in range(SAMPLE_RATE)))


def sound(*parts: tuple[bool, float]) -> bytes:
    """Tone (True) and silence (False), seconds each."""
    return b"".join(
        (TONE * math.ceil(seconds))[: round(seconds * SAMPLE_RATE)].tobytes()
        if loud
        else bytes(2 * round(seconds * SAMPLE_RATE))
        for loud, seconds in parts
    )


class Loudness:
    """Hears a word wherever there is tone, and remembers how much it was given."""

    language = "en"

    def __init__(self) -> None:
        self.given: list[int] = []

    def words(self, samples: bytes) -> list[Word]:
        self.given.append(len(samples))
        values = array("h", samples)
        loud = [any(values[at : at + 160]) for at in range(0, len(values), 160)]
        edges = [at for at in range(len(loud)) if loud[at] and (at == 0 or not loud[at - 1])]
        ends = [at + 1 for at in range(len(loud)) if loud[at] and (at + 1 == len(loud) or not loud[at + 1])]
        return [Word("tone", start / 100, end / 100) for start, end in zip(edges, ends, strict=True)]


def test_the_quietest_place_is_the_middle_of_the_pause() -> None:
    assert quietest(sound((True, 2), (False, 0.6), (True, 2))) == pytest.approx(2.3, abs=0.11)


@pytest.mark.parametrize("samples", [b"", b"\0", bytes(100)])
def test_a_scrap_of_sound_has_its_quietest_place_at_its_start(samples: bytes) -> None:
    assert quietest(samples) == pytest.approx(0, abs=0.01)


def test_a_window_ends_in_a_pause_and_no_word_is_cut(tmp_path: Path) -> None:
    parts = [(True, 1.3), (False, 0.5)] * 40
    path = tmp_path / "sound"
    path.write_bytes(sound(*parts))
    segments = list(recognised(path, Loudness(), window_s=10))
    words = [word for segment in segments for word in segment.words]
    assert len(segments) > 5
    assert [word.start_s for word in words] == pytest.approx([at * 1.8 for at in range(40)], abs=0.011)
    assert [word.end_s - word.start_s for word in words] == pytest.approx([1.3] * 40, abs=0.021)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0.2, 3), st.floats(0.45, 2)), min_size=1, max_size=20), st.floats(8, 20))
def test_words_between_pauses_are_heard_exactly_once(
    tmp_path_factory: pytest.TempPathFactory, talk: list[tuple[float, float]], window_s: float
) -> None:
    path = tmp_path_factory.mktemp("sound") / "sound"
    path.write_bytes(sound(*(part for loud, quiet in talk for part in ((True, loud), (False, quiet)))))
    segments = list(recognised(path, Loudness(), window_s=window_s))
    assert sum(len(segment.words) for segment in segments) == len(talk)


def test_every_sample_is_listened_to_once_and_progress_ends_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "sound"
    path.write_bytes(sound((True, 61.01)))
    listener = Loudness()
    segments = list(recognised(path, listener, window_s=7))
    assert sum(listener.given) == path.stat().st_size
    assert max(listener.given) <= 7 * 1.25 * BYTES_PER_SECOND
    assert segments[-1].until_s == pytest.approx(61.01)


def test_no_sound_is_no_window(tmp_path: Path) -> None:
    path = tmp_path / "sound"
    path.write_bytes(b"")
    assert list(recognised(path, Loudness())) == []
