import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.picture_size import Size


@pytest.mark.parametrize(
    ("size", "scale", "scaled"),
    [
        (Size(1920, 1080), 0.5, Size(960, 540)),
        (Size(641, 359), 1.0, Size(640, 358)),
        (Size(1920, 800), 2 / 3, Size(1280, 534)),
        (Size(4000, 3), 0.04, Size(160, 2)),
        (Size(1, 1), 1.0, Size(2, 2)),
    ],
)
def test_both_sides_are_the_nearest_even_number(size: Size, scale: float, scaled: Size) -> None:
    assert size.scaled(scale) == scaled


@given(st.integers(2, 8000), st.integers(2, 8000), st.floats(0.001, 1.0))
def test_no_side_is_odd_or_enlarged(width: int, height: int, scale: float) -> None:
    size = Size(width, height).scaled(scale)

    assert size.width % 2 == size.height % 2 == 0
    assert 2 <= size.width <= width
    assert 2 <= size.height <= height
