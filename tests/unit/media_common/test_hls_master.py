from typing import Any

import pytest

from media_common.hls import playlist_duration, render_master

_VARIANT = {
    "uri": "720p/index.m3u8",
    "bandwidth": 2_500_000,
    "averageBandwidth": 2_000_000,
    "codecs": "avc1.64001f,mp4a.40.2",
    "resolution": "1280x720",
    "frameRate": 29.97,
    "audio": "audio",
}
_AUDIO = {"uri": "audio/index.m3u8", "name": "English", "language": "en", "default": True, "channels": 2}
_SUBTITLE = {"uri": "en/index.m3u8", "name": "English", "language": "en", "default": True, "forced": False}


def test_a_whole_playlist_looks_as_the_format_shows_it() -> None:
    parts: dict[str, dict[str, Any]] = {
        "transcode": {"variants": [_VARIANT], "audio": [_AUDIO]},
        "subtitle": {"subtitles": [_SUBTITLE]},
    }

    assert render_master(parts, "transcode") == (
        "#EXTM3U\n"
        "#EXT-X-VERSION:7\n"
        "#EXT-X-INDEPENDENT-SEGMENTS\n"
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,'
        'CHANNELS="2",URI="audio/index.m3u8"\n'
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,'
        'FORCED=NO,URI="../subtitle/en/index.m3u8"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=2500000,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.64001f,mp4a.40.2",'
        'RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="audio",SUBTITLES="subtitles"\n'
        "720p/index.m3u8\n"
    )


def test_without_sound_and_subtitles_no_group_is_named() -> None:
    playlist = render_master({"transcode": {"variants": [_VARIANT | {"audio": None}], "audio": []}}, "transcode")

    assert playlist is not None
    assert "EXT-X-MEDIA" not in playlist
    assert "AUDIO=" not in playlist
    assert "SUBTITLES=" not in playlist


def test_sound_alone_has_no_resolution() -> None:
    variant = {"uri": "audio/index.m3u8", "bandwidth": 128_000.7, "codecs": "mp4a.40.2", "resolution": None}
    playlist = render_master({"transcode": {"variants": [variant]}}, "transcode")

    assert playlist is not None
    assert playlist.splitlines()[-2] == '#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="mp4a.40.2"'


@pytest.mark.parametrize("parts", [{}, {"subtitle": {"subtitles": [_SUBTITLE]}}, {"transcode": {"variants": []}}])
def test_subtitles_alone_make_no_playlist(parts: dict[str, Any]) -> None:
    assert render_master(parts, "transcode") is None


def test_a_quote_or_a_line_end_in_a_name_cannot_add_attributes() -> None:
    subtitle = _SUBTITLE | {"name": 'Eng"\n#EXT-X-MEDIA:URI="http://evil/'}
    playlist = render_master(
        {"transcode": {"variants": [_VARIANT]}, "subtitle": {"subtitles": [subtitle]}}, "transcode"
    )

    assert playlist is not None
    assert sum(line.startswith("#EXT-X-MEDIA") for line in playlist.splitlines()) == 1
    assert "NAME=\"Eng' #EXT-X-MEDIA:URI='http://evil/\"" in playlist


def test_names_in_a_group_are_different_and_one_track_is_the_default() -> None:
    playlist = render_master({"transcode": {"variants": [_VARIANT], "audio": [_AUDIO, _AUDIO]}}, "transcode")

    assert playlist is not None
    assert 'NAME="English",' in playlist
    assert 'NAME="English (2)",' in playlist
    assert playlist.count("DEFAULT=YES") == 1


def test_a_playlists_length_is_the_sum_of_its_segments() -> None:
    playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.000000,\na.m4s\n#EXTINF:3.6,\nb.m4s\n#EXT-X-ENDLIST\n"

    assert playlist_duration(playlist) == pytest.approx(9.6)
    assert playlist_duration("#EXTM3U\n") == 0
