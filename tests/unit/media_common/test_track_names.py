"""What a menu shows for a track."""

import re

import pytest

from media_common.track_names import track_name, unused


@pytest.mark.parametrize(
    ("language", "title", "name"),
    [
        ("en", None, "English"),
        ("en", "SDH", "English (SDH)"),
        ("pt-BR", "portuguese (br)", "Portuguese (BR)"),
        ("de", "German for children", "German for children"),
        (None, "Commentary", "Commentary"),
        (None, None, "Audio 1"),
        (None, "\u200b \n", "Audio 1"),
    ],
)
def test_a_track_is_named_by_its_language_and_its_title(language: str | None, title: str | None, name: str) -> None:
    assert track_name(language, title, "Audio 1") == name


def test_a_title_cannot_break_out_of_the_playlist() -> None:
    name = track_name(None, 'x",URI="http://evil\n#EXT-X\u2028' + "y" * 500, "Audio 1")

    assert re.fullmatch(r"[^\"\n\r\u2028]{1,60}", name)


def test_a_name_that_is_taken_gets_a_number() -> None:
    taken: set[str] = set()

    assert [unused("English", taken) for _ in range(3)] == ["English", "English (2)", "English (3)"]
    assert unused("en", {"en"}, "{}-{}") == "en-2"
