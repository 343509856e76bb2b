from itertools import pairwise
from pathlib import Path

from media_fixtures.infos import a_file, a_picture, a_sound
from transcode.arguments import plan_for, transcode_arguments
from transcode.filters import video_graph

SOURCE = Path("/store/assets/a/source")


def written(info, threads=2):
    return transcode_arguments(SOURCE, info, plan_for(info, 60), threads)


def after(arguments, option):
    return [value for name, value in pairwise(arguments) if name == option]


def test_one_input_is_opened_and_decoded_once_for_all_renditions():
    arguments = written(a_file(audio=(a_sound(),)))

    assert after(arguments, "-i") == [str(SOURCE)]
    assert after(arguments, "-map") == ["[v0]", "[v1]", "[v2]", "0:1"]
    assert arguments.count("-filter_complex") == 1


def test_whitelists_and_threads_come_before_the_input():
    arguments = written(a_file())
    before = arguments[: arguments.index("-i")]

    assert {"-protocol_whitelist", "-format_whitelist", "-threads", "-filter_complex_threads"} <= set(before)


def test_every_pool_of_threads_is_bounded():
    arguments = written(a_file(audio=(a_sound(),)), threads=3)

    assert after(arguments, "-threads") == ["3"] * 5  # decoder, three pictures, one sound
    assert after(arguments, "-filter_threads") == after(arguments, "-filter_complex_threads") == ["3"]


def test_key_frames_are_forced_at_the_same_moments_in_every_rendition():
    arguments = written(a_file())

    assert after(arguments, "-force_key_frames") == ["expr:gte(t,n_forced*6)"] * 3
    assert after(arguments, "-g") == ["180"] * 3
    assert after(arguments, "-sc_threshold") == ["0"] * 3


def test_the_encoder_settings_come_from_the_ladder():
    arguments = written(a_file())

    assert after(arguments, "-crf") == ["22", "23", "23"]
    assert after(arguments, "-maxrate") == ["2800k", "1400k", "800k"]
    assert after(arguments, "-bufsize") == ["5600k", "2800k", "1600k"]


def test_fast_pictures_may_take_half_as_many_bits_more():
    arguments = written(a_file(video=a_picture(frame_rate=60.0, avg_frame_rate=60.0)))

    assert after(arguments, "-maxrate") == ["4200k", "2100k", "1200k"]


def test_sound_alone_needs_no_filter_graph():
    arguments = written(a_file(video=None, audio=(a_sound(index=0),)))

    assert "-filter_complex" not in arguments
    assert after(arguments, "-map") == ["0:0"]


def graph_of(video):
    plan = plan_for(a_file(video=video), 60)
    return video_graph(video, plan.pictures, plan.frame_rate)


def test_the_source_is_scaled_once_and_the_smaller_renditions_are_made_from_the_best():
    assert graph_of(a_picture(width=3840, height=2160)).split(";") == [
        "[0:0]fps=30/1:start_time=0,scale=1920:1080:out_range=tv,setsar=1,format=yuv420p,split=4[v0][s1][s2][s3]",
        "[s1]scale=1280:720:out_range=tv,setsar=1[v1]",
        "[s2]scale=854:480:out_range=tv,setsar=1[v2]",
        "[s3]scale=640:360:out_range=tv,setsar=1[v3]",
    ]


def test_a_single_rendition_needs_no_split():
    assert graph_of(a_picture(width=426, height=240)) == (
        "[0:0]fps=30/1:start_time=0,scale=426:240:out_range=tv,setsar=1,format=yuv420p[v0]"
    )


def test_interlaced_pictures_are_deinterlaced_before_anything_else():
    assert graph_of(a_picture(interlaced=True)).startswith("[0:0]bwdif=mode=send_frame:deint=interlaced,fps=")


def test_hdr_is_mapped_to_sdr_after_it_was_made_smaller_and_once_for_all():
    steps = graph_of(a_picture(color_transfer="smpte2084", is_hdr=True, bit_depth=10)).split(";")[0].split(",")
    names = [step.partition("=")[0] for step in steps]

    assert names.index("scale") < names.index("tonemap") < names.index("split")
    assert names.count("tonemap") == 1
