"""The article's scenarios of load with small counts, one after the other on one fleet (about 50 s)."""

import re

import pytest

pytestmark = pytest.mark.slow


def test_1_one_upload_is_one_publish_and_three_results(passes):
    said = passes("1")
    assert re.search(r"^transcode +assetId=demo-001 +2\.\d\d s$", said, re.MULTILINE)


def test_1b_a_fourth_channel_is_added_and_ingest_does_not_notice(passes, fleet):
    said = passes("1b")
    assert re.search(r"^preview +done$", said, re.MULTILINE)
    assert set(fleet.status()["channels"]) == {"thumbnail", "transcode", "subtitle"}  # and is gone again


def test_2_the_slow_channels_queue_swells_and_its_workers_grow_and_go(passes):
    said = passes("2")
    assert re.search(r"^name +messages +unacked +consumers$", said, re.MULTILINE)


def test_7_paused_workers_lose_nothing_and_resumed_ones_drain_all_of_it(passes):
    said = passes("7")
    assert re.search(r"^media\.thumbnail +140 +0 +0$", said, re.MULTILINE)
