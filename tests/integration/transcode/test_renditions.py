"""Every kind of good input, through the real job: what the renditions are."""

import pytest

from media_common.hls import playlist_duration, publish_master
from media_fixtures.assets import Desk
from media_fixtures.looking import difference, key_frame_times, pixels, probe_json
from transcode.job import Transcode


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path, "transcode", Transcode(threads=2, max_frame_rate=60.0), publish=publish_master)


def sizes(done):
    return [variant["resolution"] for variant in done.details["hls"]["variants"]]


def lengths(done):
    lists = sorted(done.folder.glob("*/index.m3u8"))
    return {path.parent.name: playlist_duration(path.read_text()) for path in lists}


def picture_of(done, name):
    streams = probe_json(done.folder / name / "index.m3u8")["streams"]
    return next(stream for stream in streams if stream["codec_type"] == "video")


def test_a_plain_clip_becomes_a_ladder_with_one_shared_sound(desk, media_fixtures):
    done = desk.run(media_fixtures["plain"])

    assert sizes(done) == ["1280x720", "854x480", "640x360"]
    assert {"720p/index.m3u8", "720p/init.mp4", "720p/seg-00001.m4s", "audio/index.m3u8"} <= set(done.names)
    assert lengths(done) == pytest.approx({"720p": 6, "480p": 6, "360p": 6, "audio": 6}, abs=0.1)
    master = (done.folder / "master.m3u8").read_text()
    assert 'RESOLUTION=1280x720,FRAME-RATE=30.000,AUDIO="audio"' in master
    assert master.count("#EXT-X-STREAM-INF") == 3
    report = probe_json(done.folder / "master.m3u8")
    assert {stream["codec_name"] for stream in report["streams"]} == {"h264", "aac"}
    assert done.progress["percent"] > 50
    assert desk.left_behind == []


def test_what_the_playlist_says_is_what_was_made(desk, media_fixtures):
    done = desk.run(media_fixtures["plain"])

    for variant in done.details["hls"]["variants"]:
        name = variant["uri"].split("/")[0]
        stream = picture_of(done, name)
        segments = list((done.folder / name).glob("*.m4s"))
        assert variant["resolution"] == f"{stream['width']}x{stream['height']}"
        assert stream["r_frame_rate"] == "30/1" and variant["frameRate"] == 30.0
        profile, level = {"High": 100}[stream["profile"]], stream["level"]
        assert variant["codecs"] == f"avc1.{profile:02x}00{level:02x},mp4a.40.2"
        assert stream["pix_fmt"] == "yuv420p"
        video_rate = sum(segment.stat().st_size for segment in segments) * 8 / 6
        assert 0 < variant["averageBandwidth"] - video_rate < 200_000  # the rest is the sound
        assert variant["bandwidth"] >= variant["averageBandwidth"]


def test_segments_are_six_seconds_with_key_frames_at_the_same_moments_everywhere(desk, media_fixtures):
    done = desk.run(media_fixtures["wide_clip"])

    moments = {name: key_frame_times(done.folder / name / "index.m3u8") for name in ("480p", "360p")}
    assert moments["480p"] == moments["360p"]
    assert [round(moment, 2) for moment in moments["480p"]] == pytest.approx([0, 6.006, 12.012], abs=0.03)
    assert [path.name for path in sorted((done.folder / "480p").glob("*.m4s"))] == [
        "seg-00001.m4s",
        "seg-00002.m4s",
        "seg-00003.m4s",
    ]


def test_sound_and_picture_start_together(desk, media_fixtures):
    done = desk.run(media_fixtures["plain"])

    starts = {
        name: float(probe_json(done.folder / name / "index.m3u8")["streams"][0]["start_time"])
        for name in ("720p", "audio")
    }
    assert starts["720p"] == 0
    assert abs(starts["audio"]) < 0.025  # the encoder's own lead-in, which players skip


def test_each_sound_track_is_a_rendition_and_the_files_default_is_the_default(desk, media_fixtures):
    done = desk.run(media_fixtures["several_audio"])

    tracks = done.details["hls"]["audio"]
    assert [(track["default"], track["channels"]) for track in tracks] == [(True, 2), (False, 2), (False, 1)]
    assert [(track["language"], track["name"]) for track in tracks] == [
        ("de", "German"),
        ("en", "English"),
        (None, "Audio 3"),
    ]
    assert [track["uri"] for track in tracks] == ["audio/index.m3u8", "audio-2/index.m3u8", "audio-3/index.m3u8"]
    master = (done.folder / "master.m3u8").read_text()
    assert master.count("TYPE=AUDIO") == 3
    assert 'NAME="German",LANGUAGE="de",DEFAULT=YES' in master
    assert master.count("DEFAULT=YES") == 1


def test_a_phones_portrait_is_upright(desk, media_fixtures):
    done = desk.run(media_fixtures["rotated"])

    assert sizes(done) == ["360x640"]
    stream = picture_of(done, "360p")
    assert "side_data_list" not in stream
    made = pixels(["-i", str(done.folder / "360p/index.m3u8")], 36, 64)
    assert difference(made, pixels(["-i", str(media_fixtures["rotated"])], 36, 64)) < 8


def test_pixels_that_are_not_square_become_square(desk, media_fixtures):
    done = desk.run(media_fixtures["wide_pixels"])

    assert sizes(done) == ["854x470", "640x352"]
    assert picture_of(done, "480p")["sample_aspect_ratio"] == "1:1"


def test_a_variable_rate_becomes_constant_and_keeps_its_length(desk, media_fixtures):
    done = desk.run(media_fixtures["variable_rate"])

    stream = picture_of(done, "360p")
    assert stream["r_frame_rate"] == stream["avg_frame_rate"] == "30/1"
    assert lengths(done) == pytest.approx({"360p": 4.9, "audio": 5}, abs=0.15)


def test_hdr_becomes_sdr_in_eight_bits(desk, media_fixtures):
    done = desk.run(media_fixtures["hdr10"])

    stream = picture_of(done, "360p")
    assert (stream["pix_fmt"], stream["color_transfer"], stream["color_primaries"]) == ("yuv420p", "bt709", "bt709")


def test_interlaced_pictures_become_progressive_at_the_same_rate(desk, media_fixtures):
    done = desk.run(media_fixtures["interlaced"])

    stream = picture_of(done, "480p")
    assert stream["r_frame_rate"] == "25/1"
    assert stream.get("field_order", "progressive") == "progressive"


@pytest.mark.parametrize(
    ("name", "size", "seconds"),
    [
        ("small", "426x240", 2.0),
        ("odd_size", "640x358", 2.0),
        ("one_frame", "640x360", 0.04),
        ("no_audio", "640x360", 3.0),
        ("webm", "640x360", 2.0),
        ("vp9_mkv", "320x180", 2.0),
        ("transport_stream", "426x240", 2.0),
        ("late_start", "640x360", 3.0),
        ("late_picture", "640x360", 4.0),
        ("open_gop", "320x180", 12.0),
        ("long_gop", "320x180", 60.0),
        ("chroma_444", "640x360", 2.0),
        ("empty_audio", "320x180", 2.0),
        ("announced_audio", "426x240", 2.0),
        ("late_audio", "160x90", 12.0),
    ],
)
def test_odd_inputs_keep_their_size_and_length(desk, media_fixtures, name, size, seconds):
    done = desk.run(media_fixtures[name])

    assert sizes(done) == [size]
    folder = done.details["hls"]["variants"][0]["uri"].split("/")[0]
    assert lengths(done)[folder] == pytest.approx(seconds, abs=0.1)
    stream = picture_of(done, folder)
    assert float(stream["start_time"]) == 0
    assert stream["pix_fmt"] == "yuv420p"


@pytest.mark.parametrize("name", ["no_audio", "empty_audio", "announced_audio"])
def test_without_sound_there_is_no_audio_group(desk, media_fixtures, name):
    done = desk.run(media_fixtures[name])

    assert done.details["hls"]["audio"] == []
    assert "AUDIO" not in (done.folder / "master.m3u8").read_text()
    assert not [name for name in done.names if name.startswith("audio")]


def test_sound_that_starts_late_is_preceded_by_silence(desk, media_fixtures):
    done = desk.run(media_fixtures["late_audio"])

    assert lengths(done) == pytest.approx({"90p": 12, "audio": 12}, abs=0.1)


@pytest.mark.parametrize("name", ["audio_only", "audio_mp3", "cover_art"])
def test_sound_alone_becomes_a_stream_of_sound(desk, media_fixtures, name):
    done = desk.run(media_fixtures[name])

    assert [variant["codecs"] for variant in done.details["hls"]["variants"]] == ["mp4a.40.2"]
    assert "audio/index.m3u8" in (done.folder / "master.m3u8").read_text()
    streams = probe_json(done.folder / "master.m3u8")["streams"]
    assert [stream["codec_name"] for stream in streams] == ["aac"]


@pytest.mark.parametrize("name", ["fragmented", "subtitles_mov_text", "subtitles_bitmap"])
def test_containers_of_all_sorts_give_the_same_renditions(desk, media_fixtures, name):
    done = desk.run(media_fixtures[name])

    assert sizes(done) == ["1280x720", "854x480", "640x360"]
    assert lengths(done)["720p"] == pytest.approx(6, abs=0.1)


def test_damage_in_the_middle_is_bridged(desk, media_fixtures):
    done = desk.run(media_fixtures["corrupt_middle"])

    assert lengths(done) == pytest.approx({"720p": 6, "480p": 6, "360p": 6, "audio": 6}, abs=0.3)
