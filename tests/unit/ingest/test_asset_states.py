import doctest
import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import resources

import pytest

from ingest import asset_states
from ingest.asset_records import create_record
from ingest.asset_states import all_channels, overall_status, view_asset
from ingest.channel_ages import ChannelAges
from media_common.attempt_history import note_attempt
from mq_common import channels_file
from mq_common.channels_file import ChannelsFile
from mq_common.events import MediaEvent


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ([], "queued"),
        (["queued", "queued"], "queued"),
        (["queued", "running"], "running"),
        (["queued", "done"], "running"),
        (["queued", "dead-lettered"], "running"),
        (["done", "running", "dead-lettered"], "running"),
        (["done", "done"], "done"),
        (["done", "dead-lettered"], "dead-lettered"),
        (["dead-lettered"], "dead-lettered"),
    ],
)
def test_the_channels_sum_up_to_one_status(states, status):
    assert overall_status(states) == status


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(asset_states).failed == 0


@pytest.fixture
def channels_path(tmp_path, monkeypatch):
    monkeypatch.setattr(channels_file, "_LOOK_S", 0.0)
    path = tmp_path / "channels.toml"
    path.write_text(resources.files("mq_common").joinpath("channels.toml").read_text())
    return path


def test_an_asset_from_before_a_channel_does_not_wait_for_it(runtime, channels_path, tmp_path):
    runtime = replace(runtime, channels=ChannelsFile(channels_path, "media"))
    uploaded = datetime.now(UTC)
    _touch(channels_path, uploaded - timedelta(seconds=10))
    three = ["thumbnail", "transcode", "subtitle"]
    assert all_channels(runtime, "early", uploaded) == three

    text = channels_path.read_text()
    for table in ("channels", "profiles.media"):
        beginning = text.index(f"[{table}.thumbnail]")
        entry = text[beginning : text.index("\n\n", beginning)].replace("thumbnail", "preview")
        channels_path.write_text(f"{channels_path.read_text()}\n{entry}\n")
    _touch(channels_path, uploaded + timedelta(seconds=1))
    later = uploaded + timedelta(seconds=5)

    assert all_channels(runtime, "late", later) == [*three, "preview"]
    assert all_channels(runtime, "early", uploaded) == three
    # What another process wrote down holds, whenever the file was touched since.
    _touch(channels_path, uploaded - timedelta(seconds=1))
    other = replace(runtime, channels=ChannelsFile(channels_path, "media"), channel_ages=ChannelAges(runtime.store))
    assert all_channels(other, "early", uploaded) == three
    # A replay or a hand-made message may have brought an old asset to it all the same.
    runtime.store.put_json("assets/early/preview/progress.json", {})
    assert all_channels(runtime, "early", uploaded) == [*three, "preview"]
    # Whatever nobody had looked at before the change: what has begun is shown, in the file's order.
    (tmp_path / "store" / "channels").rename(tmp_path / "forgotten")
    unseen = replace(runtime, channel_ages=ChannelAges(runtime.store))
    _touch(channels_path, uploaded + timedelta(seconds=1))
    for channel in ("transcode", "thumbnail"):
        runtime.store.put_json(f"assets/unseen/{channel}/result.json", {})
    assert all_channels(unseen, "unseen", uploaded) == ["thumbnail", "transcode"]


def _touch(path, moment):
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def test_with_the_packaged_file_every_asset_is_every_channels(runtime):
    assert len(all_channels(runtime, "old", datetime(2020, 1, 1, tzinfo=UTC))) == 3


def test_an_asset_tells_what_happened_to_it_in_each_channel(runtime):
    uploaded = datetime(2026, 3, 1, 8, tzinfo=UTC)
    event = MediaEvent(event_id="e", asset_id="a-1", owner_id="u-1", uploaded_at=uploaded)
    assert create_record(runtime.store, event)
    note_attempt(runtime.store, "a-1", "subtitle", "failed", "2026-03-01T08:00:02.000Z", retryInSec=0.5, attempt=1)
    channels = json.loads(view_asset(runtime, "a-1").model_dump_json())["channels"]
    assert [told["event"] for told in channels["transcode"]["events"]] == ["queued"]
    queued, attempt_failed = channels["subtitle"]["events"]
    assert queued["at"] == "2026-03-01T08:00:00.000Z"
    assert (attempt_failed["event"], attempt_failed["attempt"], attempt_failed["retryInSec"]) == (
        "attempt-failed",
        1,
        0.5,
    )
