"""Words to lines: where a text may break, and how wide it is. Pure."""

import unicodedata
from collections.abc import Sequence

from subtitle.recognise import Word

LINE_COLUMNS = 42
CUE_LINES = 2

#: Scripts written without blanks whose characters are one column wide: Thai, Lao, Myanmar, Khmer.
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
_CLAUSE_ENDS = (",", ";", ":", "–", "—", "،", "、", "，", "；", "：")


def columns(text: str) -> int:
    """Give the width of a text: East Asian characters take two columns, combining marks none."""
    return sum(map(_width, text))


def joined(words: Sequence[Word]) -> str:
    """Write the words as one text."""
    return "".join(word.text if word.glued else f" {word.text}" for word in words).removeprefix(" ")


def may_break(before: Word, after: Word) -> bool:
    """Tell whether a line may end between two words: at blanks, and anywhere in scripts without them."""
    return not after.glued or _is_unspaced(before.text[-1]) or _is_unspaced(after.text[0])


def wrapped(words: Sequence[Word]) -> tuple[str, ...] | None:
    """Lay the words out on one or two lines of LINE_COLUMNS, as even as they go; None when they do not fit."""
    text = joined(words)
    width = columns(text)
    if width <= LINE_COLUMNS:
        return (text,)
    if width > CUE_LINES * LINE_COLUMNS + 1:
        return None
    fitting = [lines for lines in _halves(words) if max(map(columns, lines)) <= LINE_COLUMNS]
    return min(fitting, key=_unevenness, default=None)


def split_wide(word: Word) -> list[Word]:
    """Cut a word that is wider than a line (an address, a cry) into glued pieces that fit."""
    pieces = _pieces(word.text)
    step = (word.end_s - word.start_s) / len(pieces)
    return [
        Word(piece, word.start_s + at * step, word.start_s + (at + 1) * step, glued=word.glued or at > 0)
        for at, piece in enumerate(pieces)
    ]


def _halves(words: Sequence[Word]) -> list[tuple[str, str]]:
    # Pieces of a cut word are the one case where a break inside it is wanted.
    places = [at for at in range(1, len(words)) if may_break(words[at - 1], words[at])]
    places = places or list(range(1, len(words)))
    return [(joined(words[:at]), joined(words[at:])) for at in places]


def _unevenness(lines: tuple[str, str]) -> float:
    first, second = map(columns, lines)
    # A line that ends with a clause reads better; an upper line that is longer looks top-heavy.
    clause = -12 if lines[0].endswith(_CLAUSE_ENDS) else 0
    return abs(first - second) + (2 if first > second else 0) + clause


def _pieces(text: str) -> list[str]:
    pieces, piece, width = [], "", 0
    for character in text:
        if width + _width(character) > LINE_COLUMNS:
            pieces.append(piece)
            piece, width = "", 0
        piece += character
        width += _width(character)
    return [*pieces, piece]


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _is_unspaced(character: str) -> bool:
    code = ord(character)
    return unicodedata.east_asian_width(character) in "WF" or any(low <= code <= high for low, high in _UNSPACED)
