from itertools import pairwise
from pathlib import Path

import pytest

from media_common.picture_size import Size
from media_fixtures.infos import a_picture
from thumbnail.arguments import KeyFrames, WholeVideo, cover_arguments, one_picture_arguments, picture_arguments
from thumbnail.filters import one_picture_graph, picture_graph
from thumbnail.storyboard import Storyboard

BOARD = Storyboard(12, 5.0, Size(160, 90))
POSTER = Size(1280, 720)


def graph_of(video, every_s=None):
    return picture_graph(video, BOARD, POSTER, stream=0, duration_s=60.0, every_s=every_s)


def after(arguments, option):
    return [value for name, value in pairwise(arguments) if name == option]


def test_one_row_of_pictures_becomes_sheets_and_poster():
    assert graph_of(a_picture()).split(";") == [
        "[0:0]split=2[a][b]",
        "[a]scale=160:90,scale=out_color_matrix=bt601:out_range=pc,format=yuvj420p,setsar=1,"
        "signalstats,metadata=mode=print:file=pictures.txt,tile=10x2[sheet]",
        "[b]select='gte(t,6.000000)*lt(selected_n,10)',"
        "scale=1280:720,scale=out_color_matrix=bt601:out_range=pc,format=yuvj420p,setsar=1,"
        "signalstats,metadata=mode=select:key=lavfi.signalstats.YHIGH:value=40:function=greater,"
        "thumbnail=10,format=yuvj420p[poster]",
    ]


def test_a_whole_video_is_thinned_out_first():
    assert graph_of(a_picture(), every_s=5.0).startswith("[0:0]select='gte(t,selected_n*5.000000)',split=2")


@pytest.mark.parametrize(
    ("rotation", "scale", "turn"),
    [
        (0, "scale=160:90,", None),
        (90, "scale=90:160,", "transpose=clock"),
        (180, "scale=160:90,", "hflip,vflip"),
        (270, "scale=90:160,", "transpose=cclock"),
    ],
)
def test_pictures_are_made_small_as_they_are_coded_and_then_turned_upright(rotation, scale, turn):
    graph = graph_of(a_picture(rotation=rotation))

    assert scale in graph
    assert turn is None or graph.index(scale) < graph.index(turn)


def test_of_interlaced_frames_one_field_is_taken():
    assert "[a]field=type=top,scale=160:90" in graph_of(a_picture(interlaced=True))


def test_hdr_is_mapped_to_sdr_after_it_was_made_small():
    graph = graph_of(a_picture(is_hdr=True, color_transfer="smpte2084"))

    assert graph.index("scale=160:90") < graph.index("tonemap=tonemap=hable")


def test_the_picture_of_last_resort_is_taken_whatever_it_shows():
    assert one_picture_graph(a_picture(), POSTER, stream=0, at_s=1.5).startswith(
        "[0:0]select='gte(t,1.500000)',scale=1280:720"
    )


def test_a_video_is_opened_behind_whitelists_and_for_a_bounded_time():
    arguments = picture_arguments(
        WholeVideo(Path("/store/source"), 3, 600.0), a_picture(), BOARD, POSTER, duration_s=60.0, threads=2
    )
    before = arguments[: arguments.index("-i")]

    assert {"-protocol_whitelist", "-format_whitelist", "-threads", "-noautorotate"} <= set(before)
    assert after(before, "-t") == ["600.000"]
    assert after(arguments, "-filter_complex")[0].startswith("[0:3]")


def test_key_frames_keep_their_moments():
    for arguments in (
        picture_arguments(KeyFrames(Path("/x/k.nut")), a_picture(), BOARD, POSTER, duration_s=60.0, threads=2),
        one_picture_arguments(KeyFrames(Path("/x/k.nut")), a_picture(), POSTER, at_s=1.0, threads=2),
    ):
        assert "-copyts" in arguments
        assert after(arguments, "-skip_frame") == ["nokey"]


def test_no_more_sheets_are_written_than_planned():
    arguments = picture_arguments(
        WholeVideo(Path("/s"), 0, 600.0),
        a_picture(),
        Storyboard(150, 1.0, Size(160, 90)),
        POSTER,
        duration_s=150,
        threads=1,
    )

    assert after(arguments, "-frames:v") == ["2", "1"]


def test_cover_art_is_never_enlarged():
    arguments = cover_arguments(Path("/s"), 2, 1280, 1)

    assert after(arguments, "-map") == ["0:2"]
    assert after(arguments, "-vf") == [
        "scale='min(1280,iw)':'min(1280,ih)':force_original_aspect_ratio=decrease,format=yuvj420p"
    ]
