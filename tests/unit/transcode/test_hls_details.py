from media_fixtures.infos import a_file, a_picture, a_sound
from transcode.arguments import plan_for
from transcode.hls import describe
from transcode.init_segment import InitSegment
from transcode.made import Made
from transcode.playlist import Rates, Segment


def picture(width, height, rates=(1000, 800)):
    return Made((Segment("s", 6.0),), Rates(*rates), InitSegment("avc1.64001f", width, height))


def sound(rates=(130, 120), channels=2):
    return Made((Segment("s", 6.0),), Rates(*rates), InitSegment("mp4a.40.2", channels=channels))


def details(info, **made):
    return describe(plan_for(info, 60), {name.replace("_", "-").lstrip("-"): value for name, value in made.items()})


def test_each_picture_is_a_variant_with_the_shared_audio_group():
    info = a_file(video=a_picture(width=854, height=480), audio=(a_sound(language="en"),))

    hls = details(info, _480p=picture(854, 480), _360p=picture(640, 360), audio=sound())["hls"]

    assert hls["variants"][0] == {
        "uri": "480p/index.m3u8",
        "bandwidth": 1130,
        "averageBandwidth": 920,
        "codecs": "avc1.64001f,mp4a.40.2",
        "resolution": "854x480",
        "frameRate": 30.0,
        "audio": "audio",
    }
    assert [variant["uri"] for variant in hls["variants"]] == ["480p/index.m3u8", "360p/index.m3u8"]
    assert hls["audio"] == [
        {"uri": "audio/index.m3u8", "name": "English", "language": "en", "default": True, "channels": 2}
    ]


def test_a_variants_bandwidth_covers_the_heaviest_sound():
    info = a_file(video=a_picture(width=640, height=360), audio=(a_sound(channels=1), a_sound()))

    hls = details(info, _360p=picture(640, 360), audio=sound((70, 64), 1), audio_2=sound((140, 128)))["hls"]

    assert hls["variants"][0]["bandwidth"] == 1140


def test_without_sound_there_is_no_group():
    hls = details(a_file(video=a_picture(width=640, height=360)), _360p=picture(640, 360))["hls"]

    assert hls["variants"][0]["audio"] is None
    assert hls["variants"][0]["codecs"] == "avc1.64001f"
    assert hls["audio"] == []


def test_a_track_for_which_nothing_was_made_is_left_out_and_the_next_becomes_the_default():
    info = a_file(video=a_picture(width=640, height=360), audio=(a_sound(language="en"), a_sound(language="de")))

    hls = details(info, _360p=picture(640, 360), audio_2=sound())["hls"]

    assert [(track["language"], track["default"]) for track in hls["audio"]] == [("de", True)]


def test_sound_alone_is_a_variant_of_its_own():
    details_of_sound = details(a_file(video=None, audio=(a_sound(),)), audio=sound())

    assert details_of_sound["hls"]["variants"] == [
        {
            "uri": "audio/index.m3u8",
            "bandwidth": 130,
            "averageBandwidth": 120,
            "codecs": "mp4a.40.2",
            "resolution": None,
            "frameRate": None,
            "audio": None,
        }
    ]
    assert details_of_sound["hls"]["audio"] == []
    assert details_of_sound["durationSec"] == 6.0


def test_several_sounds_alone_are_a_group():
    hls = details(a_file(video=None, audio=(a_sound(), a_sound())), audio=sound(), audio_2=sound())["hls"]

    assert hls["variants"][0]["audio"] == "audio"
    assert [track["uri"] for track in hls["audio"]] == ["audio/index.m3u8", "audio-2/index.m3u8"]
