"""The colour and shape by which a channel is known on every page."""

from collections.abc import Iterable

#: Numbers of the article's channels; css/channels.css and js/channels.js give each number its colour and shape.
_FIXED = {"thumbnail": 1, "transcode": 2, "subtitle": 3}

#: How many marks there are; a ninth channel shares the mark of the fourth.
MARKS = 8


def channel_marks(names: Iterable[str]) -> dict[str, int]:
    """Give each channel its mark, from 1: fixed for the three of the article, by order for others. Pure.

    >>> channel_marks(["poster", "subtitle", "thumbnail", "chapters"])
    {'poster': 4, 'subtitle': 3, 'thumbnail': 1, 'chapters': 5}
    """
    others = (number for _ in range(1000) for number in range(len(_FIXED) + 1, MARKS + 1))
    return {name: _FIXED.get(name) or next(others) for name in names}
