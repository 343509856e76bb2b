from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.picture_size import Size
from thumbnail.storyboard import Storyboard, fit, is_sparse, plan_storyboard, render_storyboard

TILE = Size(160, 90)


@pytest.mark.parametrize(
    ("duration", "tiles", "step"),
    [(0.04, 1, 0.04), (0.0, 1, 0.001), (6.0, 6, 1.0), (100.0, 100, 1.0), (120.0, 100, 1.2), (7200.0, 100, 72.0)],
)
def test_the_number_of_pictures_does_not_grow_with_a_long_film(duration, tiles, step):
    plan = plan_storyboard(duration, TILE, most_tiles=100)

    assert (plan.tiles, plan.step_s) == (tiles, pytest.approx(step))


@pytest.mark.parametrize(
    ("tiles", "columns", "rows", "sheets"),
    [(1, 1, 1, 1), (6, 6, 1, 1), (11, 10, 2, 1), (100, 10, 10, 1), (101, 10, 10, 2), (400, 10, 10, 4)],
)
def test_sheets_are_ten_by_ten_and_no_larger_than_needed(tiles, columns, rows, sheets):
    plan = Storyboard(tiles, 1.0, TILE)

    assert (plan.columns, plan.rows, plan.sheets) == (columns, rows, sheets)


@pytest.mark.parametrize(
    ("picture", "box", "expected"),
    [
        ((1920, 1080), 160, (160, 90)),
        ((1080, 1920), 160, (90, 160)),
        ((641, 359), 1280, (640, 358)),
        ((1047, 576), 160, (160, 88)),
        ((4000, 3), 160, (160, 2)),
        ((100, 50), 160, (100, 50)),
    ],
)
def test_pictures_are_made_to_fit_and_never_enlarged(picture, box, expected):
    assert fit(*picture, box) == Size(*expected)


def test_a_cue_starts_at_the_moment_its_picture_shows():
    text = render_storyboard(Storyboard(12, 1.0, TILE), [0.04, 2.0, 4.5], duration_s=6.0)

    assert text == (
        "WEBVTT\n\n"
        "00:00:00.000 --> 00:00:02.000\nsprite-1.jpg#xywh=0,0,160,90\n\n"
        "00:00:02.000 --> 00:00:04.500\nsprite-1.jpg#xywh=160,0,160,90\n\n"
        "00:00:04.500 --> 00:00:06.000\nsprite-1.jpg#xywh=320,0,160,90\n"
    )


@pytest.mark.parametrize(
    ("number", "place"),
    [
        (9, "sprite-1.jpg#xywh=1440,0,160,90"),
        (10, "sprite-1.jpg#xywh=0,90,160,90"),
        (100, "sprite-2.jpg#xywh=0,0,160,90"),
    ],
)
def test_pictures_lie_row_by_row_and_sheet_by_sheet(number, place):
    moments = [float(second) for second in range(150)]

    cues = render_storyboard(Storyboard(150, 1.0, TILE), moments, duration_s=150.0).split("\n\n")[1:]

    assert cues[number].splitlines()[1] == place


def test_no_picture_gives_an_empty_valid_file():
    assert render_storyboard(Storyboard(1, 1.0, TILE), [], 0.0) == "WEBVTT\n"


@given(st.lists(st.integers(0, 7_200_000), min_size=1, max_size=100, unique=True), st.integers(0, 7_200_000))
def test_cues_cover_the_film_without_gap_or_overlap(stamps, duration):
    moments = [stamp / 1000 for stamp in sorted(stamps)]

    text = render_storyboard(Storyboard(len(moments), 1.0, TILE), moments, duration / 1000)

    times = [line.split(" --> ") for line in text.splitlines() if "-->" in line]
    assert times[0][0] == "00:00:00.000"
    assert all(before[1] == after[0] for before, after in pairwise(times))


@pytest.mark.parametrize(
    ("moments", "duration", "step", "parts", "sparse"),
    [
        ([], 60.0, 1.0, 10, True),
        ([0.0], 60.0, 1.0, 10, True),  # one key frame in a minute
        ([0.0], 0.04, 0.04, 30, False),  # one frame
        ([0.0, 2.0, 4.0], 6.0, 1.0, 10, True),  # a short clip deserves a picture a second
        ([0.0, 1.0, 2.0], 3.0, 1.0, 30, False),
        ([n * 8.3 for n in range(15)], 120.0, 1.2, 10, False),  # the usual 250 frames between key frames
        ([n * 8.3 for n in range(15)], 120.0, 1.2, 30, True),
        ([n * 2.0 for n in range(60)], 120.0, 1.2, 30, False),
        ([n * 8.3 for n in range(37)], 300.0, 3.0, 30, False),
        ([n * 72.0 for n in range(100)], 7200.0, 72.0, 30, False),
        ([n * 72.0 for n in range(50)], 7200.0, 72.0, 10, True),  # the second half is missing
    ],
)
def test_key_frames_alone_are_enough_when_no_gap_is_a_wide_part_of_the_film(moments, duration, step, parts, sparse):
    assert is_sparse(moments, duration, step, parts=parts) is sparse
