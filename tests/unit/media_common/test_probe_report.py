"""ffprobe's JSON, as it comes and as a hostile file can make it come."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common.media_info import MediaInfo
from media_common.probe_report import media_info


def _video(**fields: Any) -> dict[str, Any]:
    stream = {
        "index": 0,
        "codec_type": "video",
        "codec_name": "h264",
        "width": 1920,
        "height": 1080,
        "r_frame_rate": "30/1",
        "avg_frame_rate": "30/1",
        "pix_fmt": "yuv420p",
    }
    return stream | fields


def _info(*streams: dict[str, Any], **container: Any) -> MediaInfo:
    return media_info(
        {"streams": list(streams), "format": {"format_name": "mov,mp4", "duration": "6.0"} | container}, 99
    )


def test_a_plain_video_is_read() -> None:
    audio = {
        "index": 1,
        "codec_type": "audio",
        "codec_name": "aac",
        "channels": 2,
        "sample_rate": "48000",
        "tags": {"language": "eng", "title": "Main\nsound"},
        "disposition": {"default": 1},
    }
    info = _info(_video(nb_frames="180", start_time="0.021"), audio)

    assert (info.format_name, info.duration_s, info.size) == ("mov,mp4", 6.0, 99)
    assert info.video is not None
    assert (info.video.width, info.video.height, info.video.rotation, info.video.sar) == (1920, 1080, 0, Fraction(1))
    assert (info.video.frames, info.video.start_s, info.video.bit_depth) == (180, 0.021, 8)
    assert not (info.video.is_vfr or info.video.is_hdr or info.video.interlaced)
    sound = info.audio[0]
    assert (sound.codec, sound.channels, sound.sample_rate, sound.language) == ("aac", 2, 48000, "en")
    assert (sound.default, sound.title) == (True, "Main sound")


@pytest.mark.parametrize(
    ("matrix", "rotation", "size"),
    [
        (-90, 90, (1080, 1920)),
        (90, 270, (1080, 1920)),
        (180, 180, (1920, 1080)),
        (-180, 180, (1920, 1080)),
        (0, 0, (1920, 1080)),
    ],
)
def test_the_display_matrix_turns_the_picture_upright(matrix: int, rotation: int, size: tuple[int, int]) -> None:
    video = _info(_video(side_data_list=[{"side_data_type": "Display Matrix", "rotation": matrix}])).video

    assert video is not None
    assert (video.rotation, (video.width, video.height)) == (rotation, size)
    assert (video.coded_width, video.coded_height) == (1920, 1080)


def test_an_old_rotate_tag_counts_clockwise() -> None:
    video = _info(_video(tags={"rotate": "90"})).video

    assert video is not None
    assert video.rotation == 90


@pytest.mark.parametrize(
    ("sar", "width"),
    [("16:11", 1047), ("8:9", 640), ("1:1", 720), ("0:1", 720), ("N/A", 720), ("1:0", 720), ("1000000:1", 720)],
)
def test_the_shown_width_has_square_pixels(sar: str, width: int) -> None:
    video = _info(_video(width=720, height=576, sample_aspect_ratio=sar)).video

    assert video is not None
    assert (video.width, video.height) == (width, 576)


def test_cover_art_is_no_video() -> None:
    cover = _video(codec_name="mjpeg", disposition={"attached_pic": 1})

    assert _info(cover).video is None
    assert _info(cover | {"index": 3}).cover == 3
    info = _info(cover | {"index": 0}, _video(index=1))
    assert info.video is not None
    assert (info.video.index, info.cover) == (1, 0)
    assert _info(_video()).cover is None


def test_of_several_pictures_the_default_one_is_taken() -> None:
    video = _info(_video(index=0), _video(index=1, disposition={"default": 1})).video

    assert video is not None
    assert video.index == 1


def test_a_stream_no_decoder_knows_is_left_out() -> None:
    assert _info({"index": 0, "codec_type": "video", "width": 9, "height": 9}).video is None
    assert _info(_video(width=0)).video is None


@pytest.mark.parametrize(
    ("declared", "average", "field_order", "varies"),
    [
        ("30/1", "30/1", "progressive", False),
        ("30000/1001", "2997/100", "progressive", False),
        ("30/1", "930/73", "progressive", True),
        ("50/1", "25/1", "tt", False),
        ("50/1", "25/1", "progressive", True),
        ("90000/1", "25/1", "progressive", False),
        ("0/0", "0/0", "progressive", False),
    ],
)
def test_a_variable_rate_is_told_from_a_constant_one(
    declared: str, average: str, field_order: str, varies: bool
) -> None:
    video = _info(_video(r_frame_rate=declared, avg_frame_rate=average, field_order=field_order)).video

    assert video is not None
    assert video.is_vfr is varies
    assert 0 < video.frame_rate <= 480


@pytest.mark.parametrize(
    ("fields", "depth"),
    [
        ({"pix_fmt": "yuv420p"}, 8),
        ({"pix_fmt": "yuv420p10le"}, 10),
        ({"pix_fmt": "p010le"}, 10),
        ({"pix_fmt": "gbrp12be"}, 12),
        ({"pix_fmt": "gray16le"}, 16),
        ({"pix_fmt": "yuv444p", "bits_per_raw_sample": "8"}, 8),
        ({"pix_fmt": "nv12"}, 8),
    ],
)
def test_the_bit_depth_is_known(fields: dict[str, str], depth: int) -> None:
    video = _info(_video(**fields)).video

    assert video is not None
    assert video.bit_depth == depth


@pytest.mark.parametrize(
    ("transfer", "hdr"), [("smpte2084", True), ("arib-std-b67", True), ("bt709", False), (None, False)]
)
def test_high_dynamic_range_is_told_by_the_transfer(transfer: str | None, hdr: bool) -> None:
    video = _info(_video(color_transfer=transfer)).video

    assert video is not None
    assert video.is_hdr is hdr


def test_text_subtitles_are_told_from_bitmaps() -> None:
    def track(index: int, codec: str, **fields: Any) -> dict[str, Any]:
        return {"index": index, "codec_type": "subtitle", "codec_name": codec} | fields

    info = _info(
        track(2, "mov_text", tags={"language": "und"}),
        track(3, "hdmv_pgs_subtitle", tags={"language": "deu"}, disposition={"forced": 1}),
    )

    assert [(track.is_text, track.language, track.forced) for track in info.subtitles] == [
        (True, None, False),
        (False, "de", True),
    ]


@pytest.mark.parametrize(("stated", "start_s"), [("1.400000", 1.4), ("-0.021", -0.021), ("N/A", 0.0), (None, 0.0)])
def test_the_files_first_moment_is_known(stated: str | None, start_s: float) -> None:
    assert _info(_video(), start_time=stated).start_s == start_s


def test_a_length_only_the_streams_know_is_theirs() -> None:
    assert _info(_video(duration="5.5"), _video(index=1, duration="6.5"), duration="N/A").duration_s == 6.5
    assert _info(_video(), duration="nan").duration_s == 0


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = """
    width height sample_aspect_ratio r_frame_rate avg_frame_rate tags disposition start_time side_data_list
    pix_fmt bits_per_raw_sample nb_frames channels sample_rate index duration
"""
_names = st.sampled_from(_NAMES.split())


@given(
    st.sampled_from(["video", "audio", "subtitle", "data"]), st.dictionaries(_names, _json, max_size=6), _json, _json
)
def test_whatever_a_file_claims_is_read_without_a_crash(
    kind: str, fields: dict[str, Any], container: Any, streams: Any
) -> None:
    media_info({"streams": [_video(codec_type=kind) | fields], "format": container}, 1)
    media_info({"streams": streams}, 1)


def test_names_in_any_script_survive() -> None:
    report = json.loads(
        '{"streams":[{"index":0,"codec_type":"audio","codec_name":"aac","tags":{"title":"Ünïcödé 🎬"}}],"format":{}}'
    )

    assert media_info(report, 1).audio[0].title == "Ünïcödé 🎬"
