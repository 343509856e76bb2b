import pytest

from media_common.content_types import content_type_of


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("master.m3u8", "application/vnd.apple.mpegurl"),
        ("720p/segment_00001.m4s", "video/iso.segment"),
        ("720p/init.mp4", "video/mp4"),
        ("en.vtt", "text/vtt"),
        ("poster.jpg", "image/jpeg"),
        ("POSTER.JPG", "image/jpeg"),
        ("no_suffix", "application/octet-stream"),
        ("page.html", "application/octet-stream"),
    ],
)
def test_an_output_is_served_as_what_its_suffix_says(name: str, content_type: str) -> None:
    assert content_type_of(name) == content_type
