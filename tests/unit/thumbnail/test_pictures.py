import pytest

from thumbnail.pictures import Picture, in_order, liveliest, read_pictures

LOG = """frame:0    pts:0       pts_time:0
lavfi.signalstats.YMIN=16
lavfi.signalstats.YLOW=20
lavfi.signalstats.YHIGH=25
frame:1    pts:120000  pts_time:1.2
lavfi.signalstats.YMIN=0
lavfi.signalstats.YLOW=10
lavfi.signalstats.YHIGH=210
"""


def test_moments_and_contrast_are_read_from_the_log():
    assert read_pictures(LOG) == (Picture(0.0, 5.0), Picture(1.2, 200.0))


@pytest.mark.parametrize("log", ["", "\n"])
def test_an_empty_log_holds_no_picture(log):
    assert read_pictures(log) == ()


def test_the_liveliest_picture_has_the_most_contrast():
    assert liveliest(read_pictures(LOG)) == 1.2
    assert liveliest(()) == 0.0


@pytest.mark.parametrize(
    ("moments", "expected", "verdict"),
    [([0, 1, 2, 3], 4, True), ([0, 1, 2, 3], 5, True), ([0, 1, 2], 5, False), ([2, 1, 0], 3, False), ([], 0, False)],
)
def test_pictures_that_lack_or_go_back_in_time_are_not_in_order(moments, expected, verdict):
    assert in_order([Picture(moment, 1.0) for moment in moments], expected) is verdict
