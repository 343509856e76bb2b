from datetime import UTC, datetime

from console.assets.asset_details import details_of
from console.assets.cards import cards_of
from console.assets.search_form import SearchForm

KNOWN = ["thumbnail", "transcode", "subtitle"]


def _asset(asset_id="a-1", **fields):
    channels = {"thumbnail": {"state": "done", "percent": 100.0}, "transcode": {"state": "running", "percent": 40.0}}
    return {
        "assetId": asset_id,
        "ownerId": "ann",
        "uploadedAt": "2026-03-01T08:00:00Z",
        "fileName": "talk.mp4",
        "size": 5,
        "status": "running",
        "channels": channels,
        "poster": f"/media/{asset_id}/thumbnail/poster.jpg",
    } | fields


def test_a_card_shows_the_files_name_its_poster_and_a_state_per_channel():
    (card,) = cards_of({"assets": [_asset()]}, KNOWN)
    assert (card.title, card.poster, card.page) == ("talk.mp4", "/assets/a-1/files/thumbnail/poster.jpg", "/assets/a-1")
    assert [(chip.name, chip.mark, chip.tone, chip.percent) for chip in card.channels] == [
        ("thumbnail", 1, "good", 100.0),
        ("transcode", 2, "busy", 40.0),
    ]
    assert not card.has_ended


def test_a_simulated_asset_has_its_id_for_a_name():
    (card,) = cards_of({"assets": [_asset("sim", fileName=None, size=None, poster=None)]}, KNOWN)
    assert (card.title, card.simulated, card.poster) == ("sim", True, None)


def test_a_channel_of_nobodys_list_has_a_mark_of_its_own():
    (card,) = cards_of({"assets": [_asset(channels={"preview": {"state": "dead-lettered"}})]}, KNOWN)
    assert [(chip.name, chip.mark, chip.tone) for chip in card.channels] == [("preview", 4, "bad")]
    assert card.has_ended


def test_an_asset_before_any_channel_has_not_ended():
    assert not cards_of({"assets": [_asset(channels={})]}, KNOWN)[0].has_ended


def test_the_parts_of_streams_are_counted_and_everything_else_can_be_saved():
    outputs = [
        {"name": name, "url": f"/media/a-1/transcode/{name}", "size": 10}
        for name in ("720p/init.mp4", "720p/0.m4s", "720p/index.m3u8", "en/segment.vtt", "en/subtitles.vtt")
    ]
    channel = {"state": "done", "outputs": outputs, "events": [], "elapsedSec": 2.0}
    asset = _asset(eventId="e", source=None, channels={"transcode": channel}, playback={"hls": "/media/a-1/t/m.m3u8"})
    details = details_of(asset, KNOWN, now=datetime.now(UTC))
    (read,) = details.channels
    assert [file.address for file in read.downloads] == ["/assets/a-1/files/transcode/en/subtitles.vtt"]
    assert (read.pieces, read.pieces_size) == (4, 40)
    assert details.playback.hls == "/assets/a-1/files/t/m.m3u8"


def test_what_the_search_asks_for_is_what_the_address_says():
    form = SearchForm.from_query({"q": " talk ", "state": "running", "cursor": "1/2.json:3"})
    asked = form.for_ingest()
    assert (asked["q"], asked["state"], asked["cursor"], asked["include"]) == (
        "talk",
        "running",
        "1/2.json:3",
        "status",
    )
    assert form.more("/media?limit=24&cursor=9/8.json:7&q=talk") == (
        "/assets?q=talk&state=running&cursor=9%2F8.json%3A7"
    )
    assert form.more(None) is None


def test_a_state_that_there_is_none_of_asks_for_nothing():
    assert not SearchForm.from_query({"state": "exploded"}).searches
