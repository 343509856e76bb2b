"""Uploads: an asset without a file, and a real clip, to the end of each channel."""

import secrets

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.own_values import CHANNELS, FAILURE_RATE

from mq_common.simulation import fails


def _asset(name: str, *, failing: bool = False) -> str:
    """Name an asset whose subtitles are made, or are not, by the provider's hash."""
    while True:
        asset = f"{name}-{secrets.token_hex(4)}"
        if fails("subtitle", asset, FAILURE_RATE) == failing:
            return asset


def test_an_upload_without_a_file_is_done_in_each_channel(mediaflow: Installation) -> None:
    asset = _asset("json")

    answer = mediaflow.door.upload(asset)

    assert answer["status"] == 202, answer
    assert answer["headers"]["Location"] == f"/media/{asset}"
    assert mediaflow.door.await_asset(asset, 120) == dict.fromkeys(CHANNELS, "done")


def test_an_upload_whose_provider_fails_for_good_is_a_dead_letter_of_one_channel_alone(
    mediaflow: Installation,
) -> None:
    asset = _asset("failing", failing=True)

    assert mediaflow.door.upload(asset)["status"] == 202

    states = mediaflow.door.await_asset(asset, 120)
    assert states == {"thumbnail": "done", "transcode": "done", "subtitle": "dead-lettered"}


def test_a_real_clip_becomes_a_poster_renditions_and_subtitles(mediaflow: Installation) -> None:
    answer = mediaflow.door.upload_file(mediaflow.parameters.clip)
    assert answer["status"] == 202, answer
    asset = answer["headers"]["Location"].rpartition("/")[2]

    assert mediaflow.door.await_asset(asset, 600) == dict.fromkeys(CHANNELS, "done")

    for name in (
        "thumbnail/poster.jpg",
        "thumbnail/storyboard.vtt",
        "transcode/master.m3u8",
        "subtitle/en/subtitles.vtt",
    ):
        got = mediaflow.door.get(f"/media/{asset}/{name}")
        assert (got["status"], got["size"] > 50) == (200, True), f"{name}: {got['status']}, {got['size']} bytes"
