"""The console acts on this machine's fleet: real supervisor and processes, stand-ins for its services."""

import threading
from datetime import UTC, datetime

import pytest

from console.control.fleet_control import (
    ControlRefused,
    ControlUnavailable,
    ReplayRequest,
    UnknownChannel,
    UnknownReplay,
)
from console.control.local_fleet_control import LocalFleetControl


@pytest.fixture
def steps(tmp_path):
    return tmp_path / "steps"


@pytest.fixture
def control(stub_fleet, steps):
    stub_fleet.options["replayer"] = f"--steps {steps}"
    stub_fleet.mediaflow("up")
    return LocalFleetControl(stub_fleet.folder.socket)


def test_a_look_tells_each_worker_and_how_many_there_are_to_be(control, stub_fleet):
    before = datetime.now(UTC)
    view = control.fleet()
    assert list(view.channels) == ["thumbnail", "transcode", "subtitle"]
    thumbnail = view.channels["thumbnail"]
    assert (thumbnail.wanted, thumbnail.paused, thumbnail.held, thumbnail.scaled_by) == (1, False, False, "hand")
    (worker,) = thumbnail.workers
    assert (worker.name, worker.state, worker.restarts, worker.reason) == ("thumbnail-1", "ready", 0, "")
    assert worker.started_at < worker.ready_at < before
    assert (before - worker.started_at).total_seconds() < 60
    assert worker.memory_bytes > 1_000_000
    assert worker.metrics_url == f"{stub_fleet.status()['thumbnail-1']['address']}/metrics"


def test_pause_scale_and_resume(control, until):
    control.scale("thumbnail", 2)
    control.pause(None)
    until(lambda: not any(channel.workers for channel in control.fleet().channels.values()))
    paused = control.fleet().channels
    assert {name: (channel.paused, channel.wanted) for name, channel in paused.items()} == {
        "thumbnail": (True, 2),
        "transcode": (True, 1),
        "subtitle": (True, 1),
    }
    control.scale("thumbnail", 3)
    control.resume("thumbnail")
    until(lambda: [each.state for each in control.fleet().channels["thumbnail"].workers] == ["ready"] * 3)
    assert control.fleet().channels["subtitle"].paused


def test_what_cannot_be_is_told_by_its_kind(control, stub_fleet):
    with pytest.raises(UnknownChannel, match=r"No channel 'poster'; there are: thumbnail, transcode, subtitle\."):
        control.pause("poster")
    with pytest.raises(ControlRefused, match=r"Between 0 and 64 workers\."):
        control.scale("subtitle", 65)
    with pytest.raises(UnknownChannel):
        control.start_replay(ReplayRequest("poster"))
    with pytest.raises(UnknownReplay):
        control.stop_replay("none")
    with pytest.raises(UnknownReplay):
        control.replay("none")
    stub_fleet.mediaflow("down")
    with pytest.raises(ControlUnavailable, match="`make up` starts the fleet"):
        control.fleet()


def test_a_worker_that_keeps_dying_waits_and_one_that_is_misconfigured_has_failed(stub_fleet, until):
    stub_fleet.options |= {"transcode": "--exit 1 --say 'no module'", "subtitle": "--exit 2 --say 'bad setting'"}
    stub_fleet.mediaflow("up", code=1)
    control = LocalFleetControl(stub_fleet.folder.socket)

    def worker(channel):
        return control.fleet().channels[channel].workers[0]

    def waiting():
        # One look tells all: at the next one it may be starting again.
        seen = worker("transcode")
        return (seen.reason, seen.started_at) if seen.state == "waiting" and seen.restarts else None

    assert until(waiting) == ("exit code 1: no module", None)
    until(lambda: worker("subtitle").state == "failed")
    assert worker("subtitle").reason == "exit code 2: bad setting"


def test_a_replay_is_followed_to_its_end_by_whoever_looks(control, stub_fleet, steps, until):
    request = ReplayRequest("subtitle", event_ids=("one", "two"), rate=50.0, asked_by="Ada")
    run = control.start_replay(request)
    assert (run.state, run.request) == ("waiting", request)
    until(lambda: control.replay(run.id).state == "running")
    steps.write_text("moved\n")
    until(lambda: control.replay(run.id).moved == 1)
    assert (control.replay(run.id).left, control.replay(run.id).total) == (9, 10)

    another_console = LocalFleetControl(stub_fleet.folder.socket)
    steps.write_text("moved\nmoved\nend\n")
    until(lambda: another_console.replay(run.id).ended)
    ended = another_console.replay(run.id)
    assert (ended.state, ended.moved, ended.message) == ("done", 2, "")
    assert ended.summary["options"] == ["--rate=50/s", "--event=one", "--event=two"]
    assert ended.started_at < ended.ended_at
    assert another_console.replays() == (ended,)


def test_of_two_operators_who_replay_a_channel_at_once_one_is_told_of_the_other(control, steps, until):
    started, refused = [], []

    def ask():
        try:
            started.append(control.start_replay(ReplayRequest("subtitle")))
        except ControlRefused as error:
            refused.append(str(error))

    both = [threading.Thread(target=ask) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()

    assert (len(started), len(refused)) == (1, 1)
    assert started[0].id in refused[0]
    control.stop_replay(started[0].id)
    until(lambda: control.replay(started[0].id).state == "stopped")
    control.stop_replay(started[0].id)  # it has ended: nothing happens
    assert control.start_replay(ReplayRequest("subtitle")).id != started[0].id


def test_pausing_while_another_resumes_ends_in_one_of_the_two(control, until):
    both = [threading.Thread(target=act, args=("thumbnail",)) for act in (control.pause, control.resume) * 8]
    for each in both:
        each.start()
    for each in both:
        each.join()
    channel = control.fleet().channels["thumbnail"]
    assert channel.wanted == 1
    until(lambda: len(control.fleet().channels["thumbnail"].workers) == (0 if channel.paused else 1))
