"""Words to cues."""

from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.webvtt import Cue
from subtitle.cues import MAX_CUE_S, MIN_CUE_S, PAUSE_S, build_cues
from subtitle.recognise import Word
from subtitle.wrapping import CUE_LINES, LINE_COLUMNS, columns, joined


def spoken(text: str, *, start_s: float = 0.0, word_s: float = 0.3, gap_s: float = 0.0) -> list[Word]:
    """Words of one length after the other."""
    words, clock = [], start_s
    for token in text.split():
        words.append(Word(token, clock, clock + word_s))
        clock += word_s + gap_s
    return words


def texts(cues: list[Cue]) -> list[str]:
    return [cue.text for cue in cues]


def test_no_words_give_no_cues() -> None:
    assert build_cues([]) == []


def test_a_short_sentence_is_one_cue_on_one_line() -> None:
    assert texts(build_cues(spoken("Good morning, dear listeners."))) == ["Good morning, dear listeners."]


def test_a_long_sentence_is_laid_out_on_two_even_lines() -> None:
    (cue,) = build_cues(spoken("the quick brown fox jumps over the lazy dog and the sleeping cat", word_s=0.2))
    first, second = cue.text.split("\n")
    assert abs(len(first) - len(second)) <= 6


def test_a_cue_ends_with_its_sentence() -> None:
    cues = build_cues(spoken("He came home late. She was already asleep."))
    assert texts(cues) == ["He came home late.", "She was already asleep."]


@pytest.mark.parametrize(
    "text", ["And Mr. Dashwood left the house.", "J. R. Tolkien wrote it.", "Ask Dr. Smith, please."]
)
def test_an_abbreviation_does_not_end_a_sentence(text: str) -> None:
    assert texts(build_cues(spoken(text))) == [text]


def test_a_closing_quote_belongs_to_the_sentence_it_ends() -> None:
    cues = build_cues(spoken('"Come in here." He waited for her.'))
    assert texts(cues) == ['"Come in here."', "He waited for her."]


def test_a_pause_begins_a_new_cue() -> None:
    words = [*spoken("and then there was"), *spoken("silence in the room", start_s=1.2 + PAUSE_S + 0.1)]
    cues = build_cues(words)
    assert texts(cues) == ["and then there was", "silence in the room"]
    assert cues[1].start_s == pytest.approx(1.2 + PAUSE_S + 0.1)


def test_no_word_is_left_alone_where_it_can_be_avoided() -> None:
    text = " ".join(["word"] * 17)  # 84 columns hold 16 of them
    assert min(len(cue.text.split()) for cue in build_cues(spoken(text, word_s=0.2))) > 4


def test_a_long_sentence_is_cut_at_its_comma_rather_than_in_its_middle() -> None:
    text = (
        "When the long and very cold winter had come to an end at last, "
        "the people of the village went out into the fields again to work"
    )
    cues = build_cues(spoken(text, word_s=0.25))
    assert any(cue.text.endswith("at last,") for cue in cues)


def test_a_flash_is_joined_with_its_neighbour() -> None:
    cues = build_cues([Word("No.", 0.0, 0.2), Word("Wait", 0.25, 0.5), Word("here.", 0.5, 0.9)])
    assert texts(cues) == ["No. Wait here."]


def test_a_short_cue_is_held_as_long_as_the_next_allows() -> None:
    first, second = build_cues([Word("No.", 0.0, 0.2), Word("Come.", 5.0, 5.1)])
    assert first.end_s == pytest.approx(MIN_CUE_S)
    assert second.end_s - second.start_s == pytest.approx(MIN_CUE_S)


def test_a_word_that_lasts_too_long_is_cut_in_time() -> None:
    (cue,) = build_cues([Word("Aaaah", 1.0, 30.0)])
    assert cue.end_s - cue.start_s == pytest.approx(MAX_CUE_S)


def test_text_is_escaped_but_measured_as_it_is_seen() -> None:
    text = "<&> " * 14
    (cue,) = build_cues(spoken(text, word_s=0.1))
    assert "<" not in cue.text
    assert [len(unescape(line)) <= LINE_COLUMNS for line in cue.text.split("\n")] == [True, True]


def test_glued_words_are_written_without_a_blank() -> None:
    cues = build_cues([Word("ill", 0, 0.3), Word("-disposed", 0.3, 0.8, glued=True), Word("man.", 0.8, 1)])
    assert texts(cues) == ["ill-disposed man."]


def test_a_script_without_blanks_breaks_between_its_characters() -> None:
    words = [Word(character, at * 0.1, at * 0.1 + 0.1, glued=True) for at, character in enumerate("字幕は二行まで" * 5)]
    cues = build_cues(words)
    assert "".join(texts(cues)).replace("\n", "") == "字幕は二行まで" * 5
    assert all(columns(line) <= LINE_COLUMNS for cue in cues for line in cue.text.split("\n"))


def test_words_with_one_and_the_same_time_make_cues_that_follow_each_other() -> None:
    cues = build_cues([Word(f"word{at}", 3.0, 3.0) for at in range(60)])
    assert all(cue.end_s > cue.start_s for cue in cues)
    assert all(before.end_s <= after.start_s for before, after in pairwise(cues))


tokens = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Z", "M")), min_size=1, max_size=60)
times = st.floats(min_value=-1, max_value=20, allow_nan=False)


@st.composite
def word_lists(draw: st.DrawFn) -> list[Word]:
    """Words as a bad recogniser might give them: any order of times, any length, any glue."""
    clock, words = 0.0, []
    for text in draw(st.lists(tokens | st.sampled_from(["a", "the", "end.", "well,", "no?"]), max_size=60)):
        start = max(0.0, clock + draw(st.sampled_from([0.0, 0.0, 0.1, 0.9, -0.2]) | times))
        clock = start + draw(st.sampled_from([0.0, 0.2, 0.4, 7.0]))
        words.append(Word(text, start, clock, draw(st.sampled_from([False, False, False, True]))))
    return words


@given(word_lists())
def test_every_word_is_shown_once_and_in_order(words: list[Word]) -> None:
    shown = "".join(unescape(cue.text) for cue in build_cues(words))
    assert "".join(shown.split()) == "".join(joined(words).split())


@given(word_lists())
def test_the_limits_hold_whatever_the_recogniser_says(words: list[Word]) -> None:
    for cue in build_cues(words):
        lines = unescape(cue.text).split("\n")
        assert len(lines) <= CUE_LINES
        assert all(columns(line) <= LINE_COLUMNS for line in lines)
        assert 0 < cue.end_s - cue.start_s <= MAX_CUE_S + 1e-9


@given(word_lists())
def test_cues_never_overlap(words: list[Word]) -> None:
    cues = build_cues(words)
    assert all(before.end_s <= after.start_s + 1e-9 for before, after in pairwise(cues))


@given(st.lists(st.sampled_from(["one", "two", "three", "four.", "five,"]), min_size=2, max_size=80))
def test_a_cue_is_short_only_where_the_next_one_waits(tokens: list[str]) -> None:
    cues = build_cues(spoken(" ".join(tokens), word_s=0.4))
    for cue, following in zip(cues, [*cues[1:], None], strict=True):
        assert cue.end_s - cue.start_s >= MIN_CUE_S - 1e-9 or (following and cue.end_s == following.start_s)
