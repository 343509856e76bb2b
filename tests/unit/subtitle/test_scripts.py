"""SubRip and ASS to cues."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.webvtt import Cue
from subtitle.scripts import UNKNOWN_END_S, parse_ass, parse_subrip, tidied

SUBRIP = """1
00:00:00,500 --> 00:00:02,001
Hello <i>world</i>

2
00:00:02,500 --> 01:00:04,000
Two

rows
42

3
-00:00:01,000 --> 00:00:00,400
early
"""

ASS = r"""[Script Info]
Title: x
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,not shown
Dialogue: 0,0:00:00.50,0:00:02.25,Default,,0,0,0,,Hello, {\i1}you{\i0}
Dialogue: 0,1:00:02.50,1:00:04.00,Sign,,0,0,0,,{\p1}m 0 0 l 9 9
Dialogue: 0,broken
"""


def test_subrip_is_read_to_the_millisecond_with_its_blank_lines_and_numbers() -> None:
    assert parse_subrip(SUBRIP) == [
        Cue(0.5, 2.001, "Hello <i>world</i>"),
        Cue(2.5, 3604.0, "Two\nrows\n42"),
        Cue(-1.0, 0.4, "early"),
    ]


def test_ass_events_are_read_without_comments() -> None:
    assert parse_ass(ASS) == [Cue(0.5, 2.25, "Hello, <i>you</i>"), Cue(3602.5, 3604.0, "")]


@pytest.mark.parametrize("text", ["", "\ufeff", "WEBVTT", "1\n\n\n", "00:00:00,000 --> "])
def test_a_script_without_a_cue_gives_none(text: str) -> None:
    assert parse_subrip(text) == parse_ass(text) == []


def test_what_lies_before_the_files_beginning_is_cut_off() -> None:
    assert tidied([Cue(10.5, 12, "a"), Cue(9, 10.25, "b"), Cue(1, 2, "gone")], start_s=10) == [
        Cue(0, 0.25, "b"),
        Cue(0.5, 2, "a"),
    ]


def test_an_unknown_end_reaches_to_the_next_cue_at_most() -> None:
    assert tidied([Cue(1, 1, "a"), Cue(2, 1, "b"), Cue(10, 10, "c")]) == [
        Cue(1, 2, "a"),
        Cue(2, 2 + UNKNOWN_END_S, "b"),
        Cue(10, 10 + UNKNOWN_END_S, "c"),
    ]


def test_overlaps_of_the_source_stay() -> None:
    cues = [Cue(0, 5, "one speaker"), Cue(1, 3, "another")]
    assert tidied(cues) == cues


def test_layers_and_frames_of_one_text_become_one_cue() -> None:
    frames = [Cue(at / 10, (at + 1) / 10, "karaoke") for at in range(20)]
    assert tidied([*frames, *frames, Cue(9, 10, "karaoke")]) == [Cue(0, 2, "karaoke"), Cue(9, 10, "karaoke")]


@given(st.lists(st.builds(Cue, st.floats(-5, 50), st.floats(-5, 50), st.sampled_from(["", "a", "b", "c"]))))
def test_tidied_cues_are_in_order_last_and_say_something(cues: list[Cue]) -> None:
    result = tidied(cues)
    assert result == sorted(result, key=lambda cue: cue.start_s)
    assert all(cue.text and 0 <= cue.start_s < cue.end_s for cue in result)
