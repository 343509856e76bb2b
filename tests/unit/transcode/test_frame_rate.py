from fractions import Fraction

import pytest

from media_fixtures.infos import a_picture
from transcode.frame_rate import output_frame_rate, segment_frames


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (25.0, Fraction(25)),
        (30000 / 1001, Fraction(30000, 1001)),
        (24000 / 1001, Fraction(24000, 1001)),
        (60.0, Fraction(60)),
        (120.0, Fraction(60)),
        (240.0, Fraction(60)),
        (100.0, Fraction(50)),
        (144.0, Fraction(48)),
        (0.5, Fraction(1, 2)),
    ],
)
def test_a_constant_rate_is_kept_or_divided_evenly(declared, expected):
    assert output_frame_rate(a_picture(frame_rate=declared, avg_frame_rate=declared), 60) == expected


@pytest.mark.parametrize(
    ("declared", "average", "expected"),
    [
        (30.0, 12.7, 30),  # a phone in the dark
        (90000.0, 12.3, 24),  # a screen recorder
        (1000.0, 29.9, 30),
        (1000.0, 59.8, 60),
        (90000.0, 200.0, 60),
    ],
)
def test_a_variable_rate_becomes_a_sane_constant_one(declared, average, expected):
    video = a_picture(frame_rate=declared, avg_frame_rate=average, is_vfr=True)

    assert output_frame_rate(video, 60) == expected


@pytest.mark.parametrize("nothing", [0.0, float("nan"), float("inf"), -1.0])
def test_a_container_that_knows_no_rate_gets_the_usual_one(nothing):
    assert output_frame_rate(a_picture(frame_rate=nothing, avg_frame_rate=0.0), 60) == 30


def test_the_fields_of_an_interlaced_picture_are_not_counted_as_frames():
    assert output_frame_rate(a_picture(frame_rate=50.0, avg_frame_rate=25.0, interlaced=True), 60) == 25


@pytest.mark.parametrize(("rate", "frames"), [(Fraction(25), 150), (Fraction(30000, 1001), 180), (Fraction(1, 20), 1)])
def test_a_segment_holds_a_whole_number_of_frames(rate, frames):
    assert segment_frames(rate, 6) == frames
