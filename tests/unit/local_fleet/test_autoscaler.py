"""The autoscaler applies the rule to each channel's own queue."""

from local_fleet.autoscaler import Autoscaler
from mq_common.channels import load_channels
from mq_common.management import QueueDepth


def depth(ready: int, unacked: int = 0) -> QueueDepth:
    return QueueDepth(ready=ready, unacked=unacked, total=ready + unacked, consumers=1)


def autoscaler(channels, running) -> Autoscaler:
    return Autoscaler(
        lambda: channels, read_depths=dict, running=running.__getitem__, scale=running.__setitem__, cooldown_s=30
    )


def test_channels_scale_apart_and_an_unknown_depth_changes_nothing():
    channels = load_channels(profile="simulated")  # 15 messages a worker; thumbnail 4–16, transcode 2–8
    running = {"thumbnail": 4, "transcode": 2, "subtitle": 2}
    scaler = autoscaler(channels, running)

    scaler.apply({"media.thumbnail": depth(80, 20), "media.transcode": depth(0, 2)}, now=0)
    assert running == {"thumbnail": 7, "transcode": 2, "subtitle": 2}

    scaler.apply({"media.thumbnail": depth(0), "media.transcode": depth(500)}, now=29)
    assert running == {"thumbnail": 7, "transcode": 8, "subtitle": 2}

    scaler.apply({"media.thumbnail": depth(0), "media.transcode": depth(500)}, now=31)
    assert running == {"thumbnail": 4, "transcode": 8, "subtitle": 2}


def test_a_paused_channel_is_left_alone_and_cools_down_anew_when_it_goes_on():
    channels = load_channels(profile="simulated")
    running = {"thumbnail": 4, "transcode": 2, "subtitle": 2}
    scaler = autoscaler(channels, running)
    full, empty = {"media.transcode": depth(3000)}, {"media.transcode": depth(0)}

    scaler.apply(empty, now=0)
    running["transcode"] = None
    scaler.apply(full, now=10)
    assert running["transcode"] is None

    running["transcode"] = 6  # resumed
    scaler.apply(empty, now=100)
    assert running["transcode"] == 6
    scaler.apply(empty, now=131)
    assert running["transcode"] == 2


def test_a_channel_that_was_added_is_scaled_too():
    channels = load_channels(profile="simulated")
    running = dict.fromkeys(channels, 2)
    scaler = autoscaler(channels, running)
    scaler.apply({}, now=0)

    channels["preview"] = channels["transcode"].model_copy(update={"name": "preview"})
    running["preview"] = 2
    scaler.apply({"media.preview": depth(60)}, now=2)

    assert running["preview"] == 4
