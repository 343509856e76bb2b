"""Scaling by hand beside the autoscaler: held until it is given back, as with KEDA's paused-replicas."""

import pytest

from local_fleet.control import ControlClient


@pytest.fixture
def autoscaled(stub_fleet):
    # Nobody answers there: the autoscaler is on, and never knows a depth.
    stub_fleet.variables["MEDIAFLOW_MANAGEMENT_URL"] = "http://guest:guest@127.0.0.1:1"
    stub_fleet.mediaflow("up", "--autoscale")
    return stub_fleet


def channel(fleet, name="thumbnail"):
    return ControlClient(fleet.folder.socket).ask("status")["channels"][name]


def test_a_channel_that_was_scaled_by_hand_is_held_until_it_is_given_back(autoscaled):
    assert not channel(autoscaled)["held"]
    said = autoscaled.mediaflow("scale", "thumbnail", "2")
    assert said == "thumbnail: 2 workers; the autoscaler leaves it alone until mediaflow resume thumbnail\n"
    assert (channel(autoscaled)["held"], channel(autoscaled)["scaled_by"]) == (True, "autoscaler")
    assert not channel(autoscaled, "transcode")["held"]

    autoscaled.mediaflow("resume")  # all that are paused: none is
    assert channel(autoscaled)["held"]

    assert autoscaled.mediaflow("resume", "thumbnail") == "thumbnail: 2 workers, autoscaled 1–16\n"
    assert not channel(autoscaled)["held"]


def test_a_pause_and_its_end_leave_a_held_channel_held(autoscaled):
    autoscaled.mediaflow("scale", "thumbnail", "2")
    autoscaled.mediaflow("pause")
    autoscaled.mediaflow("resume", "thumbnail")
    assert (channel(autoscaled)["workers"], channel(autoscaled)["held"]) == (2, True)


def test_scaling_a_paused_channel_holds_it_once_it_is_resumed(autoscaled):
    autoscaled.mediaflow("pause", "thumbnail")
    autoscaled.mediaflow("scale", "thumbnail", "3")
    assert (channel(autoscaled)["workers"], channel(autoscaled)["wanted"]) == (0, 3)
    autoscaled.mediaflow("resume", "thumbnail")
    assert (channel(autoscaled)["workers"], channel(autoscaled)["held"]) == (3, True)


def test_switching_the_autoscaler_on_anew_gives_every_channel_to_it(autoscaled):
    autoscaled.mediaflow("scale", "thumbnail", "2")
    autoscaled.mediaflow("up", "--autoscale")
    assert not channel(autoscaled)["held"]
