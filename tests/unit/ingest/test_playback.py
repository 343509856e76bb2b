from ingest.playback import find_playback
from media_common.states import ChannelState

SHEETS = ChannelState(
    "pictures", "done", outputs=({"name": "poster.jpg"}, {"name": "storyboard.vtt"}, {"name": "sheet 1.jpg"})
)
VIDEO = ChannelState("any-name", "done", details={"hls": {"variants": [{"uri": "720p/index.m3u8"}]}})
TEXT = ChannelState("words", "done", details={"hls": {"subtitles": [{"name": "English", "language": "en"}]}})


def test_what_a_player_needs_is_found_by_what_the_files_are():
    found = find_playback("a-1", [SHEETS, VIDEO, TEXT])
    assert found.hls == "/media/a-1/any-name/master.m3u8"
    assert found.poster == "/media/a-1/pictures/poster.jpg"
    assert found.storyboard == "/media/a-1/pictures/storyboard.vtt"
    assert [(track.name, track.language) for track in found.subtitles] == [("English", "en")]


def test_a_channel_that_is_not_done_offers_nothing():
    running = ChannelState("any-name", "running", details=VIDEO.details)
    assert find_playback("a-1", [running]).hls is None


def test_odd_details_are_no_playback():
    odd = [
        ChannelState("a", "done", details={"hls": None}),
        ChannelState("b", "done", details={"hls": {"variants": None}}),
        ChannelState("c", "done", details={"hls": {"variants": []}}),
        ChannelState("d", "done", details={"hls": "x"}),
    ]
    found = find_playback("a-1", odd)
    assert (found.hls, found.poster, found.storyboard, found.subtitles) == (None, None, None, [])
