import pytest

from media_common.errors import BadMedia
from media_common.verify import check_length, check_lengths


@pytest.mark.parametrize(("actual", "expected"), [(6, 6), (5.2, 6), (7, 6), (0.04, 0.04), (7100, 7200), (0.0, 0.9)])
def test_an_output_of_about_the_inputs_length_is_whole(actual: float, expected: float) -> None:
    check_length(actual, expected)


@pytest.mark.parametrize(("actual", "expected"), [(3.6, 6), (4.9, 6), (7000, 7200), (0, 2)])
def test_a_shorter_output_means_a_damaged_source(actual: float, expected: float) -> None:
    with pytest.raises(BadMedia, match="the source is cut off or damaged"):
        check_length(actual, expected)


def test_of_several_outputs_the_short_one_is_named() -> None:
    with pytest.raises(BadMedia, match=r"720p has 3\.6 s of 6\.0 s"):
        check_lengths({"360p": 6.0, "720p": 3.6}, 6.0)
