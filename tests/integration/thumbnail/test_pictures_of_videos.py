"""Every kind of input, through the real job: what poster, sheets and storyboard show."""

import re
from functools import cache

import pytest

from media_fixtures.assets import Desk
from media_fixtures.looking import brightness, difference, pixels, probe_json
from thumbnail.job import Thumbnail

#: Seconds before and after a moment, for telling it from its neighbours.
OFFSETS = (-0.4, 0, 0.4)


@pytest.fixture(scope="module")
def job_on(media_fixtures, tmp_path_factory):
    """Give what the job makes of an input: done once, for all tests that look at it."""

    @cache
    def run(name):
        desk = Desk(
            tmp_path_factory.mktemp(name), "thumbnail", Thumbnail(tiles=100, tile_px=160, poster_px=1280, threads=2)
        )
        done = desk.run(media_fixtures[name])
        assert desk.left_behind == []
        return done

    return run


def size_of(path):
    stream = probe_json(path)["streams"][0]
    return stream["width"], stream["height"]


def cues(done):
    """Give start and end in seconds, sheet, and x, y, w, h of each cue."""
    text = (done.folder / "storyboard.vtt").read_text()
    assert text.startswith("WEBVTT\n")
    pattern = r"(\d+):(\d+):([\d.]+) --> (\d+):(\d+):([\d.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)\n"
    found = []
    for match in re.finditer(pattern, text):
        hours, minutes, seconds, *rest = match.groups()
        start = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        end = int(rest[0]) * 3600 + int(rest[1]) * 60 + float(rest[2])
        found.append((start, end, rest[3], tuple(int(number) for number in rest[4:])))
    return found


def tile_pixels(done, cue):
    _, _, sheet, (x, y, width, height) = cue
    return pixels(["-i", str(done.folder / sheet)], 80, 45, first=f"crop={width}:{height}:{x}:{y}")


def video_pixels(path, at_s):
    return pixels(["-i", str(path), "-ss", f"{max(0.0, at_s):.3f}"], 80, 45)


@pytest.mark.parametrize(
    ("name", "poster", "tile", "tiles"),
    [
        ("plain", (1280, 720), (160, 90), 6),
        ("small", (426, 240), (160, 90), 2),
        ("rotated", (360, 640), (90, 160), 3),
        ("wide_pixels", (1046, 576), (160, 88), 2),
        ("odd_size", (640, 358), (160, 90), 2),
        ("variable_rate", (640, 360), (160, 90), 5),
        ("no_audio", (640, 360), (160, 90), 3),
        ("one_frame", (640, 360), (160, 90), 1),
        ("interlaced", (720, 576), (160, 128), 2),
        ("hdr10", (640, 360), (160, 90), 2),
        ("late_start", (640, 360), (160, 90), 4),
        ("webm", (640, 360), (160, 90), 3),
        ("vp9_mkv", (320, 180), (160, 90), 3),
        ("transport_stream", (426, 240), (160, 90), 3),
        ("fragmented", (1280, 720), (160, 90), 7),
        ("long_gop", (320, 180), (160, 90), 60),
        ("open_gop", (320, 180), (160, 90), 12),
        ("far_key_frames", (192, 108), (160, 90), 100),  # eight seconds apart; the seek bar wants finer ones
        ("no_key_frames", (320, 180), (160, 90), 3),
        ("corrupt_middle", (1280, 720), (160, 90), 6),
        ("all_black", (320, 180), (160, 90), 2),
        ("several_audio", (640, 360), (160, 90), 4),
        ("chroma_444", (640, 360), (160, 90), 2),
    ],
)
def test_every_video_has_a_poster_and_a_storyboard_of_the_right_shape(job_on, name, poster, tile, tiles):
    done = job_on(name)

    assert done.names == ["poster.jpg", "sprite-1.jpg", "storyboard.vtt"]
    assert size_of(done.folder / "poster.jpg") == poster
    listed = cues(done)
    assert abs(len(listed) - tiles) <= 1
    assert listed[0][0] == 0.0
    sheet = size_of(done.folder / "sprite-1.jpg")
    for _, _, _, (x, y, width, height) in listed:
        assert (width, height) == tile
        assert x + width <= sheet[0] and y + height <= sheet[1]


@pytest.mark.parametrize(
    "name", ["plain", "open_gop", "long_gop", "far_key_frames", "late_start", "no_key_frames", "interlaced"]
)
def test_each_picture_shows_the_moment_its_cue_starts_at(job_on, media_fixtures, name):
    done = job_on(name)

    listed = cues(done)
    for cue in listed[1 : -1 : max(1, len(listed) // 3)]:
        shown = tile_pixels(done, cue)
        apart = {offset: difference(shown, video_pixels(media_fixtures[name], cue[0] + offset)) for offset in OFFSETS}
        assert min(apart, key=apart.__getitem__) == 0, apart


def test_pictures_of_a_phones_portrait_are_upright(job_on, media_fixtures):
    done = job_on("rotated")

    expected = pixels(["-ss", "1", "-i", str(media_fixtures["rotated"])], 36, 64)  # turned by ffmpeg itself
    assert difference(pixels(["-i", str(done.folder / "poster.jpg")], 36, 64), expected) < 16


def test_the_poster_is_no_black_frame(job_on):
    done = job_on("black_intro")

    assert brightness(done.folder / "poster.jpg") > 80
    assert brightness(done.folder / "sprite-1.jpg") > 30


def test_a_video_that_is_black_throughout_has_a_black_poster(job_on):
    done = job_on("all_black")

    assert brightness(done.folder / "poster.jpg") < 5


def test_hdr_is_shown_with_the_brightness_of_sdr(job_on):
    done = job_on("hdr10")

    # PQ shown as it is would be a grey of low contrast.
    values = pixels(["-i", str(done.folder / "poster.jpg")], 64, 36)
    assert max(values) > 235
    assert min(values) < 20


def test_cover_art_is_the_poster_of_a_song(job_on):
    done = job_on("cover_art")

    assert done.names == ["poster.jpg", "storyboard.vtt"]
    assert size_of(done.folder / "poster.jpg") == (500, 400)
    assert cues(done) == []


@pytest.mark.parametrize("name", ["audio_only", "audio_mp3", "damaged_cover"])
def test_sound_without_a_picture_is_a_success_with_an_empty_storyboard(job_on, name):
    done = job_on(name)

    assert done.names == ["storyboard.vtt"]
    assert (done.folder / "storyboard.vtt").read_text() == "WEBVTT\n"


def test_of_a_file_that_breaks_off_the_part_that_is_there_is_shown(job_on):
    done = job_on("truncated")

    assert 3 <= len(cues(done)) <= 5


def test_the_cost_of_a_long_film_is_that_of_a_short_one(tmp_path, media_fixtures):
    """The number of pictures is bounded, and no more than their key frames is read and decoded."""
    work = Thumbnail(tiles=40, tile_px=160, poster_px=640, threads=2)

    short = Desk(tmp_path / "short", "thumbnail", work).run(media_fixtures["two_minutes"])
    long = Desk(tmp_path / "long", "thumbnail", work).run(media_fixtures["two_hours"])

    assert len(cues(short)) == len(cues(long)) == 40
    assert long.result["elapsedSec"] < 2.5 * short.result["elapsedSec"] + 0.5
    assert cues(long)[-1][1] == pytest.approx(7200, abs=5)
