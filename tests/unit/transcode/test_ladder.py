import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.picture_size import Size
from transcode.ladder import LADDER, choose_ladder


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ((3840, 2160), ["1080p 1920x1080", "720p 1280x720", "480p 854x480", "360p 640x360"]),
        ((1920, 1080), ["1080p 1920x1080", "720p 1280x720", "480p 854x480", "360p 640x360"]),
        ((1280, 720), ["720p 1280x720", "480p 854x480", "360p 640x360"]),
        ((1440, 1080), ["1080p 1440x1080", "720p 960x720", "480p 640x480", "360p 480x360"]),
        ((640, 360), ["360p 640x360"]),
        ((426, 240), ["240p 426x240"]),
        ((641, 359), ["360p 640x358"]),
        ((1, 1), ["2p 2x2"]),
    ],
)
def test_the_ladder_follows_the_source_height_and_never_goes_up(source, expected):
    assert [f"{r.name} {r.size.width}x{r.size.height}" for r in choose_ladder(Size(*source))] == expected


def test_a_portrait_gets_the_rungs_of_its_shorter_side():
    assert [(r.name, r.size.width, r.size.height) for r in choose_ladder(Size(1080, 1920))] == [
        ("1080p", 1080, 1920),
        ("720p", 720, 1280),
        ("480p", 480, 854),
        ("360p", 360, 640),
    ]


def test_a_wide_film_keeps_its_own_size_on_the_top_rung():
    assert [(r.name, r.size.width, r.size.height) for r in choose_ladder(Size(1920, 800))][:2] == [
        ("1080p", 1920, 800),
        ("720p", 1280, 534),
    ]


def test_rungs_are_listed_best_first_and_spend_less_on_each():
    assert [rung.lines for rung in LADDER] == sorted((rung.lines for rung in LADDER), reverse=True)
    assert [rung.max_rate for rung in LADDER] == sorted((rung.max_rate for rung in LADDER), reverse=True)


@given(st.integers(180, 8000), st.integers(180, 8000))
def test_renditions_are_even_unique_never_larger_than_the_source_and_keep_its_aspect(width, height):
    renditions = choose_ladder(Size(width, height))

    assert renditions
    assert len({rendition.name for rendition in renditions}) == len(renditions)
    for rendition in renditions:
        assert rendition.size.width % 2 == rendition.size.height % 2 == 0
        assert rendition.size.width <= width
        assert rendition.size.height <= height
        # to the even pixel on either side
        assert abs(rendition.size.width - rendition.size.height * width / height) <= 1 + width / height
