import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.found import what_was_found

_HLS = "[hls @ 0x55be8031b240] Format not on whitelist 'mov,mp4'\n/store/source: Invalid argument"
_MOOV = "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x1] moov atom not found\n/store/source: Invalid data found"


@pytest.mark.parametrize(
    ("head", "complaint", "words"),
    [
        (b"", _HLS, "an HLS playlist, which names other files"),
        (b"#EXTM3U\n", "", "an HLS playlist"),
        (b"ffconcat version 1.0\n", "", "a list of other files"),
        (b"\x89PNG\r\n\x1a\n", "[png_pipe @ 0x1] Format not on whitelist 'mov'", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "", "a JPEG picture"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "", "a WebP picture"),
        (b"\0\0\0\x1cftypheic", _MOOV, "a HEIC picture"),
        (b"%PDF-1.7", "", "a PDF document"),
        (b"PK\x03\x04", "", "a ZIP archive"),
        (b"  <!DOCTYPE html><html>", "", "a web page"),
        ("grüße, kein Video\n".encode(), "", "text"),
        (("x" * 4095 + "ü").encode()[:4096], "", "text"),
        (b"\0\0\0\x20ftypisom", _MOOV, "without its index (no moov atom)"),
        (b"\x00\x01\x02\xff" * 10, "", "of no media format"),
        (b"\x00\x01", "[rawvideo @ 0x1] Format not on whitelist 'mov'", "of the format 'rawvideo'"),
    ],
)
def test_a_refusal_says_what_the_file_is(head: bytes, complaint: str, words: str) -> None:
    assert words in what_was_found(head, complaint)


@given(st.binary(max_size=64), st.text(max_size=64))
def test_there_are_words_for_everything(head: bytes, complaint: str) -> None:
    assert what_was_found(head, complaint)
