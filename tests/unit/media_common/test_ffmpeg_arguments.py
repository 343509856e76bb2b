from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.ffmpeg import FORMAT_WHITELIST, PROTOCOL_WHITELIST, input_arguments, out_time_s, percent_of

#: Formats that name other files or addresses, or that read them by pattern.
_REACHING_OUT = {
    "hls",
    "dash",
    "concat",
    "concatdec",
    "image2",
    "sdp",
    "rtsp",
    "rtp",
    "tee",
    "imf",
    "lavfi",
    "applehttp",
}
_REACHING_PROTOCOLS = {"http", "https", "tcp", "concat", "subfile", "crypto", "data", "pipe", "async", "cache"}


def test_an_input_is_opened_behind_its_whitelists() -> None:
    assert input_arguments(Path("/store/source"), seek_s=1.5, threads=2, extra=["-skip_frame", "nokey"]) == [
        "-protocol_whitelist",
        PROTOCOL_WHITELIST,
        "-format_whitelist",
        FORMAT_WHITELIST,
        "-threads",
        "2",
        "-ss",
        "1.500000",
        "-skip_frame",
        "nokey",
        "-i",
        "/store/source",
    ]


def test_only_containers_that_hold_their_media_are_let_in() -> None:
    assert not set(FORMAT_WHITELIST.split(",")) & _REACHING_OUT
    assert not set(PROTOCOL_WHITELIST.split(",")) & _REACHING_PROTOCOLS


@pytest.mark.parametrize("name", ["-dash.mp4", "a:b.mp4", "http://host/x.mp4", "clip.mp4", "../clip.mp4"])
def test_a_name_that_is_no_absolute_path_never_reaches_a_command_line(name: str) -> None:
    with pytest.raises(ValueError, match="absolute path"):
        input_arguments(Path(name))


def test_a_seek_before_the_start_is_the_start() -> None:
    assert "0.000000" in input_arguments(Path("/x"), seek_s=-1)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("out_time_us=1500000", 1.5),
        ("out_time_us=-21333", 0.0),
        ("out_time_us=N/A", None),
        ("out_time_ms=1500000", None),
        ("out_time=00:00:01.500000", None),
        ("progress=continue", None),
        ("garbage", None),
    ],
)
def test_progress_is_read_from_one_kind_of_line(line: str, seconds: float | None) -> None:
    assert out_time_s(line) == seconds


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_per_cent_stay_between_0_and_100(done: float, duration: float) -> None:
    assert 0 <= percent_of(done, duration) <= 100


def test_half_is_fifty_per_cent() -> None:
    assert percent_of(3, 6) == 50
