"""The autoscaler applies the rule to each channel's own queue."""

from local_fleet.autoscaler import Autoscaler
from mq_common.channels import load_channels
from mq_common.management import QueueDepth


def depth(ready: int, unacked: int = 0) -> QueueDepth:
    return QueueDepth(ready=ready, unacked=unacked, total=ready + unacked, consumers=1)


def test_channels_scale_apart_and_an_unknown_depth_changes_nothing():
    channels = load_channels(profile="simulated")  # 15 messages a worker; thumbnail 4–16, transcode 2–8
    running = {"thumbnail": 4, "transcode": 2, "subtitle": 2}
    scaler = Autoscaler(
        channels, read_depths=dict, running=running.__getitem__, scale=running.__setitem__, cooldown_s=30
    )

    scaler.apply({"media.thumbnail": depth(80, 20), "media.transcode": depth(0, 2)}, now=0)
    assert running == {"thumbnail": 7, "transcode": 2, "subtitle": 2}

    scaler.apply({"media.thumbnail": depth(0), "media.transcode": depth(500)}, now=29)
    assert running == {"thumbnail": 7, "transcode": 8, "subtitle": 2}

    scaler.apply({"media.thumbnail": depth(0), "media.transcode": depth(500)}, now=31)
    assert running == {"thumbnail": 4, "transcode": 8, "subtitle": 2}
