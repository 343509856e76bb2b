"""The recogniser's lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subtitle.recognise import Segment, Word
from subtitle.recognise.wire import Ending, Heard, Message, decode, encode, messages

seconds = st.integers(0, 10**7).map(lambda value: value / 1000)


@given(
    st.builds(Word, st.text(max_size=60), seconds, seconds, st.booleans())
    | st.builds(Heard, seconds)
    | st.builds(Ending, st.none() | st.sampled_from(["en", "tr"]), st.booleans())
)
def test_what_is_told_is_what_is_understood(message: Message) -> None:
    line = encode(message)
    assert decode(line) == message
    assert "\n" not in line
    assert len(line) < 1000


def test_a_segment_is_told_word_by_word() -> None:
    word = Word("Hello", 1.0, 2.0)
    assert list(messages(Segment(5.0, (word,)))) == [word, Heard(5.0)]


@pytest.mark.parametrize(
    "line", ["", "loading model", "{}", "[1]", "3", '{"word": 1}', '{"untilS": "x"}', '{"word": "cut of']
)
def test_other_lines_are_overheard(line: str) -> None:
    assert decode(line) is None
