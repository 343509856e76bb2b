"""What only the making of renditions shows to be bad, and jobs that are stopped; see also tests/integration/workers."""

import threading

import pytest

from media_common.errors import BadMedia, JobCancelled, LimitExceeded
from media_fixtures.assets import Desk
from transcode.job import Transcode


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path, "transcode", Transcode(threads=2, max_frame_rate=60.0))


@pytest.mark.parametrize("name", ["truncated", "truncated_mkv"])
def test_a_file_that_breaks_off_is_refused_with_what_is_there(desk, media_fixtures, name):
    with pytest.raises(BadMedia, match=r"3\.\d s of 6\.0 s: the source is cut off"):
        desk.run(media_fixtures[name])

    assert desk.left_nothing


def test_a_job_that_is_told_to_stop_stops(desk, media_fixtures):
    threading.Timer(0.5, desk.cancelled.set).start()

    with pytest.raises(JobCancelled):
        desk.run(media_fixtures["plain"])

    assert desk.left_nothing


def test_a_picture_over_the_limit_is_refused(tmp_path, media_fixtures):
    desk = Desk(tmp_path, "transcode", Transcode(threads=2, max_frame_rate=60.0), max_pixels=640 * 360)

    with pytest.raises(LimitExceeded, match="1280x720"):
        desk.run(media_fixtures["plain"])
