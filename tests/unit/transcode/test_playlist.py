import pytest

from transcode.playlist import Rates, Segment, length_of, measure, read_segments

TEXT = """#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:6
#EXT-X-MAP:URI="init.mp4"
#EXTINF:6.000000,
seg-00001.m4s
#EXTINF:2.500000,
seg-00002.m4s
#EXT-X-ENDLIST
"""


def test_segments_are_listed_with_their_lengths():
    segments = read_segments(TEXT)

    assert segments == (Segment("seg-00001.m4s", 6.0), Segment("seg-00002.m4s", 2.5))
    assert length_of(segments) == 8.5


def test_an_empty_playlist_has_no_length():
    assert length_of(read_segments("#EXTM3U\n#EXT-X-ENDLIST\n")) == 0


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        ([(750, 6.0), (750, 3.0)], Rates(peak=2000, average=1333)),
        # a last segment of one frame is no peak
        ([(750, 6.0), (700, 0.04)], Rates(peak=1921, average=1921)),
        # a file of one frame has no other
        ([(500, 0.04)], Rates(peak=100000, average=100000)),
    ],
)
def test_bit_rates_are_those_of_the_segments(tmp_path, segments, expected):
    listed = []
    for number, (size, seconds) in enumerate(segments):
        (tmp_path / f"{number}.m4s").write_bytes(bytes(size))
        listed.append(Segment(f"{number}.m4s", seconds))

    assert measure(tmp_path, listed) == expected
