import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.webvtt import Cue, escape, render, timestamp

_TIMING = re.compile(r"^(\d{2,}:[0-5]\d:[0-5]\d\.\d{3}) --> (\d{2,}:[0-5]\d:[0-5]\d\.\d{3})(?: .*)?$")


def _seconds(stamp: str) -> float:
    hours, minutes, seconds = stamp.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def _read(document: str) -> tuple[str, list[tuple[str, list[str]]]]:
    """Parse as the format says: blocks are separated by blank lines; a cue starts with its timing."""
    assert document.startswith("WEBVTT")
    assert document.endswith("\n")
    blocks = [block for block in re.split(r"(?:\r\n|\r|\n){2,}", document.strip("\n")) if block]
    return blocks[0], [(lines[0], lines[1:]) for lines in (re.split(r"\r\n|\r|\n", block) for block in blocks[1:])]


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "00:00:00.000"),
        (0.0004, "00:00:00.000"),
        (0.9996, "00:00:01.000"),
        (59.9999, "00:01:00.000"),
        (3599.9996, "01:00:00.000"),
        (61.5, "00:01:01.500"),
        (360_000, "100:00:00.000"),
        (-3, "00:00:00.000"),
    ],
)
def test_times_are_written_to_the_millisecond(seconds: float, written: str) -> None:
    assert timestamp(seconds) == written


@given(st.floats(min_value=0, max_value=1e6, allow_nan=False))
def test_a_written_time_reads_back_within_half_a_millisecond(seconds: float) -> None:
    assert abs(_seconds(timestamp(seconds)) - seconds) <= 0.000501


def test_a_file_of_two_cues_looks_as_the_format_shows_it() -> None:
    cues = [Cue(0.5, 2, "Hello"), Cue(2.5, 4, "Second line\nwith two rows", settings="line:0 position:50%")]

    assert render(cues, header="X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0") == (
        "WEBVTT\n"
        "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n"
        "\n"
        "00:00:00.500 --> 00:00:02.000\n"
        "Hello\n"
        "\n"
        "00:00:02.500 --> 00:00:04.000 line:0 position:50%\n"
        "Second line\nwith two rows\n"
    )


def test_no_cues_make_an_empty_valid_file() -> None:
    assert render([]) == "WEBVTT\n"


def test_a_cue_without_text_is_left_out() -> None:
    assert render([Cue(0, 1, " \n ")]) == "WEBVTT\n"


def test_a_cue_that_would_end_before_it_starts_lasts_a_millisecond() -> None:
    assert "00:00:05.000 --> 00:00:05.001" in render([Cue(5, 3, "x")])


def test_escaped_text_shows_as_it_was_written() -> None:
    assert escape("Tom & <b>Jerry</b> --> x") == "Tom &amp; &lt;b&gt;Jerry&lt;/b&gt; --&gt; x"


_anything = st.text(max_size=60) | st.text(alphabet="a \n\r->&<\0\t", max_size=60)


@given(
    st.lists(
        st.tuples(
            st.floats(min_value=-1, max_value=40_000), st.floats(min_value=-1, max_value=40_000), _anything, _anything
        ),
        max_size=6,
    ),
    _anything,
)
def test_no_text_can_break_the_file(cues: list[tuple[float, float, str, str]], header: str) -> None:
    document = render([Cue(start, end, text, settings) for start, end, text, settings in cues], header)

    top, blocks = _read(document)
    spoken = [cue for cue in cues if any(line.strip() for line in re.split(r"[\r\n]+", cue[2]))]
    assert "-->" not in top
    assert "\0" not in document
    assert len(blocks) == len(spoken)
    for (timing, lines), (start, *_) in zip(blocks, spoken, strict=True):
        match = _TIMING.match(timing)
        assert match is not None
        assert abs(_seconds(match[1]) - max(0, start)) < 0.001
        assert _seconds(match[2]) > _seconds(match[1])
        assert lines
        assert not any("-->" in line for line in lines)
