import pytest

from media_common.errors import BadMedia
from media_fixtures.infos import a_file, a_picture, a_sound
from transcode.arguments import plan_for
from transcode.init_segment import InitSegment
from transcode.made import Made, check_whole
from transcode.playlist import Rates, Segment

PICTURE = a_picture(width=640, height=360)


def made(seconds):
    return Made((Segment("seg-00001.m4s", seconds),), Rates(1, 1), InitSegment("avc1.64001f", 640, 360))


def check(info, **lengths):
    names = {"picture": "360p", "sound": "audio"}
    check_whole(info, plan_for(info, 60), {names[key]: made(value) for key, value in lengths.items()})


def test_renditions_as_long_as_the_file_are_whole():
    check(a_file(video=PICTURE, audio=(a_sound(),), duration_s=60), picture=60.0, sound=59.9)


def test_a_sound_that_ends_early_is_no_damage():
    check(a_file(video=PICTURE, audio=(a_sound(),), duration_s=60), picture=60.0, sound=20.0)


def test_a_picture_that_ends_early_is_no_damage_when_it_has_no_more_frames():
    info = a_file(video=a_picture(width=640, height=360, frames=900), audio=(a_sound(),), duration_s=60)

    check(info, picture=30.0, sound=60.0)


def test_a_picture_with_fewer_frames_than_counted_breaks_off():
    info = a_file(video=a_picture(width=640, height=360, frames=1800), audio=(a_sound(),), duration_s=60)

    with pytest.raises(BadMedia, match=r"the picture has 30\.0 s of 60\.0 s"):
        check(info, picture=30.0, sound=60.0)


def test_a_file_shorter_than_promised_breaks_off():
    with pytest.raises(BadMedia, match=r"the longest rendition has 36\.0 s of 60\.0 s: the source is cut off"):
        check(a_file(video=PICTURE, audio=(a_sound(),), duration_s=60), picture=36.0, sound=36.0)


def test_a_second_or_two_per_cent_may_be_missing():
    check(a_file(video=PICTURE, duration_s=3), picture=2.1)
    check(a_file(video=PICTURE, duration_s=3600), picture=3540.0)


@pytest.mark.parametrize("container", ["mpegts", "mp3", "aac"])
def test_a_container_that_guesses_its_length_proves_nothing(container):
    check(a_file(video=PICTURE, duration_s=60, format_name=container), picture=30.0)


def test_a_file_of_which_nothing_could_be_decoded_is_bad():
    with pytest.raises(BadMedia, match="nothing in the file could be decoded"):
        check(a_file(video=PICTURE, audio=(a_sound(),)), sound=60.0)
    with pytest.raises(BadMedia, match="nothing in the file could be decoded"):
        check(a_file(video=None, audio=(a_sound(),)))


def test_an_empty_sound_track_is_no_failure():
    check(a_file(video=PICTURE, audio=(a_sound(),), duration_s=60), picture=60.0)
