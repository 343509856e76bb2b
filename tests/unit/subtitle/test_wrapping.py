"""Words to lines."""

import pytest

from subtitle.recognise import Word
from subtitle.wrapping import LINE_COLUMNS, columns, joined, split_wide, wrapped


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("字幕", 4), ("e\u0301", 1), ("", 0), ("ｶﾅ", 2)],
    ids=["latin", "cjk", "accent", "none", "half"],
)
def test_width_is_counted_in_columns(text: str, width: int) -> None:
    assert columns(text) == width


def words(text: str) -> list[Word]:
    return [Word(token, 0, 1) for token in text.split()]


def test_a_line_that_fits_stays_whole() -> None:
    assert wrapped(words("x" * 20 + " " + "y" * 21)) == ("x" * 20 + " " + "y" * 21,)


def test_what_two_lines_cannot_hold_is_refused() -> None:
    assert wrapped(words(" ".join(["word"] * 18))) is None


def test_a_clause_is_kept_together() -> None:
    lines = wrapped(words("after the rain had stopped, we walked along the river"))
    assert lines is not None
    assert lines[0] == "after the rain had stopped,"


def test_a_word_wider_than_a_line_is_cut_into_pieces_that_share_its_time() -> None:
    pieces = split_wide(Word("x" * 100, 1.0, 2.0))
    assert [columns(piece.text) <= LINE_COLUMNS for piece in pieces] == [True, True, True]
    assert joined(pieces) == "x" * 100
    assert (pieces[0].start_s, pieces[-1].end_s) == pytest.approx((1.0, 2.0))
