"""What must come of an input whatever the channel: refused with a reason, or done; nothing else is read or fetched."""

import pytest

from media_common.errors import BadMedia, LimitExceeded
from media_fixtures.assets import Desk
from media_fixtures.dressed import DRESSED, write_dressed
from subtitle.job import SubtitleWork
from subtitle.recognise.engines import choose_engine
from subtitle.settings import SubtitleSettings
from thumbnail.job import Thumbnail
from transcode.job import Transcode

_LISTENING = SubtitleSettings(engine="pocketsphinx")
WORK = {
    "thumbnail": Thumbnail(tiles=100, tile_px=160, poster_px=1280, threads=2),
    "transcode": Transcode(threads=2, max_frame_rate=60.0),
    "subtitle": SubtitleWork(choose_engine(_LISTENING), _LISTENING),
}
#: Names of files and of the folders they lie in.
NAMES = [
    "with space.mp4",
    "quote'and\"double.mp4",
    "a:b.mp4",
    "-dash.mp4",
    "two\nlines.mp4",
    "🏖️ %d [v]; $(x).mp4",
    "ö" * 120 + ".mp4",
]


@pytest.fixture(params=sorted(WORK))
def channel(request):
    return request.param


@pytest.fixture
def desk(tmp_path, channel):
    return Desk(tmp_path, channel, WORK[channel])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("zero_bytes", "the file is empty"),
        ("text", "the file is text, and not a video"),
        ("no_moov", "the file is an MP4 without its index"),
        ("random_bytes", "the file is of no media format that is known here"),
        ("garbled", "ffmpeg cannot read the file: (Cannot determine|Error while decoding)"),
        ("image", "the file is a PNG picture, and not a video"),
        ("jpeg", "the file is a JPEG picture, and not a video"),
    ],
)
def test_bad_media_is_refused_with_a_reason(desk, media_fixtures, name, reason):
    with pytest.raises(BadMedia, match=f"^{reason}") as raised:
        desk.run(media_fixtures[name])

    assert len(str(raised.value).splitlines()) == 1
    assert desk.left_nothing


@pytest.mark.parametrize("kind", DRESSED)
def test_a_playlist_dressed_as_a_video_reads_no_local_file(desk, tmp_path, media_fixtures, kind):
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(media_fixtures["small"].read_bytes())

    with pytest.raises(BadMedia, match=r"^the file is"):
        desk.run(write_dressed(tmp_path, kind, f"file://{secret}"))

    assert desk.left_nothing


@pytest.mark.parametrize("kind", DRESSED)
def test_a_playlist_dressed_as_a_video_reaches_no_address(desk, tmp_path, silent_listener, kind):
    with pytest.raises(BadMedia, match=r"^the file is"):
        desk.run(write_dressed(tmp_path, kind, silent_listener.url))

    assert silent_listener.connections == 0
    assert desk.left_nothing


@pytest.mark.parametrize("name", NAMES)
def test_files_and_folders_may_have_any_name(tmp_path, channel, media_fixtures, name):
    uploaded = tmp_path / name
    uploaded.write_bytes(media_fixtures["small"].read_bytes())

    done = Desk(tmp_path / f"store in {name}", channel, WORK[channel]).run(uploaded)

    assert done.names


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rotated", "no speech was found"),
        ("variable_rate", "no speech was found"),
        ("odd_size", "no sound track"),
        ("one_frame", "no sound track"),
        ("hdr10", "no sound track"),
        ("chroma_444", "no sound track"),
        ("long_gop", "no sound track"),
        ("several_audio", "no engine for language de"),  # its default track
    ],
)
def test_odd_pictures_are_no_matter_to_the_listener(tmp_path, media_fixtures, name, reason):
    done = Desk(tmp_path, "subtitle", WORK["subtitle"]).run(media_fixtures[name])

    (subtitles,) = done.names
    assert (done.folder / subtitles).read_text() == "WEBVTT\n"
    assert done.details["reason"].startswith(reason)


def test_a_second_delivery_does_no_work(desk, media_fixtures):
    event = desk.upload(media_fixtures["small"])

    assert desk.deliver(event) is True
    assert desk.deliver(event) is False


def test_a_job_that_takes_too_long_is_ended(desk, media_fixtures):
    with pytest.raises(LimitExceeded, match="time limit"):
        desk.run(media_fixtures["plain"], time_limit_s=0.05)

    assert desk.left_nothing
