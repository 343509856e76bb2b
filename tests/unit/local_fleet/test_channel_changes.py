"""What a channels file that was read again asks for."""

from local_fleet.channel_changes import ChannelChanges, compare
from mq_common.channels import load_channels


def test_new_changed_and_missing_channels_are_told_apart():
    before = load_channels()
    after = {name: spec for name, spec in before.items() if name != "subtitle"}
    after["transcode"] = after["transcode"].model_copy(update={"prefetch": 2})
    after["preview"] = before["thumbnail"].model_copy(update={"name": "preview"})

    assert compare(before, after) == ChannelChanges(added=("preview",), changed=("transcode",), gone=("subtitle",))


def test_the_same_file_asks_for_nothing():
    assert not compare(load_channels(), load_channels())
