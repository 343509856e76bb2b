"""Broken and hostile input, through the real job: refused with a reason, and nothing is read or fetched."""

import threading

import pytest

from media_common.errors import BadMedia, JobCancelled, LimitExceeded
from media_common.layout import channel_prefix
from media_fixtures.assets import Desk
from media_fixtures.dressed import DRESSED, write_dressed
from transcode.job import Transcode


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path, "transcode", Transcode(threads=2, max_frame_rate=60.0))


def nothing_is_left(desk):
    kept = {key.rsplit("/", 1)[1] for key in desk.store.list_keys(channel_prefix("asset-1", "transcode"))}
    return desk.left_behind == [] and kept <= {"progress.json"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("zero_bytes", "empty"),
        ("no_moov", "moov|cut off|unfinished|broken off|incomplete"),
        ("truncated", r"3\.\d s of 6\.0 s"),
        ("truncated_mkv", r"3\.\d s of 6\.0 s"),
        ("garbled", "cannot read the file: Cannot determine format of input stream 0:0"),
        ("random_bytes", "no media format|not a video|unknown"),
        ("image", "PNG picture"),
        ("jpeg", "JPEG picture"),
        ("text", "text"),
    ],
)
def test_bad_media_is_refused_with_a_reason(desk, media_fixtures, name, reason):
    with pytest.raises(BadMedia, match=reason) as raised:
        desk.run(media_fixtures[name])

    assert len(str(raised.value).splitlines()) == 1
    assert nothing_is_left(desk)


@pytest.mark.parametrize("kind", DRESSED)
def test_a_playlist_dressed_as_a_video_reads_no_local_file(desk, tmp_path, media_fixtures, kind):
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(media_fixtures["small"].read_bytes())

    with pytest.raises(BadMedia):
        desk.run(write_dressed(tmp_path, kind, f"file://{secret}"))

    assert nothing_is_left(desk)


@pytest.mark.parametrize("kind", DRESSED)
def test_a_playlist_dressed_as_a_video_reaches_no_address(desk, tmp_path, silent_listener, kind):
    with pytest.raises(BadMedia):
        desk.run(write_dressed(tmp_path, kind, silent_listener.url))

    assert silent_listener.connections == 0


def test_a_job_that_takes_too_long_is_ended(desk, media_fixtures):
    with pytest.raises(LimitExceeded, match="time limit"):
        desk.run(media_fixtures["plain"], time_limit_s=0.5)

    assert nothing_is_left(desk)


def test_a_job_that_is_told_to_stop_stops(desk, media_fixtures):
    threading.Timer(0.5, desk.cancelled.set).start()

    with pytest.raises(JobCancelled):
        desk.run(media_fixtures["plain"])

    assert nothing_is_left(desk)


def test_a_picture_over_the_limit_is_refused(tmp_path, media_fixtures):
    desk = Desk(tmp_path, "transcode", Transcode(threads=2, max_frame_rate=60.0), max_pixels=640 * 360)

    with pytest.raises(LimitExceeded, match="1280x720"):
        desk.run(media_fixtures["plain"])
