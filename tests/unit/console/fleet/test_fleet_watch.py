"""From what broker and supervisor tell to what the page shows."""

import pytest

from console.control.fleet_control import FleetView
from console.fleet.concerns import STUCK_CRITICAL_S, STUCK_S, UNATTENDED_S, Concerns
from console.fleet.fleet_watch import FleetWatch
from console.fleet.looks import QueueReading
from console.fleet.storm import Storm
from fleet_looks import channel, crew, reading, workers
from mq_common.management import NodeAlarm

DECLARED = {"thumbnail": "media.thumbnail", "transcode": "media.transcode"}
VIEW = FleetView({"transcode": crew("transcode", "ready", "starting", "stopping", "failed", wanted=3, minimum=2)})


def take(watch, now, told, view=VIEW):
    return watch.take(now, told, view, declared=DECLARED, control_kind="local")


def test_channels_are_those_of_the_file_of_the_broker_and_of_the_workers_in_this_order():
    view = FleetView({"poster": crew("poster", "ready")})
    look = take(FleetWatch(0), 1, reading(1, "zeta", "transcode", "chapters", transcode=QueueReading(ready=3)), view)
    assert [each.name for each in look.channels] == ["thumbnail", "transcode", "chapters", "poster", "zeta"]
    assert look.channel("transcode").ready == 3
    assert look.channel("thumbnail").ready == 0


def test_a_channel_that_comes_later_is_shown_and_one_that_goes_is_not():
    watch = FleetWatch(0)
    assert len(take(watch, 1, reading(1, "transcode")).channels) == 2
    assert len(take(watch, 2, reading(2, "transcode", "new", new=QueueReading(ready=1))).channels) == 3
    assert len(take(watch, 3, reading(3, "transcode")).channels) == 2


def test_workers_are_counted_by_what_they_can_do():
    seen = take(FleetWatch(0), 1, reading(1, "transcode")).channel("transcode").workers
    assert (seen.ready, seen.starting, seen.failed, seen.wanted, seen.minimum) == (1, 1, 1, 3, 2)
    assert seen.trouble.startswith("transcode-4: ")


def test_without_an_answer_about_workers_consumers_stand_for_them():
    look = take(FleetWatch(0), 1, reading(1, "transcode", transcode=QueueReading(consumers=5)), "no supervisor")
    assert look.channel("transcode").workers is None
    assert look.channel("transcode").working == 5
    assert (look.control.answers, look.control.reason) == (False, "no supervisor")


def test_what_is_stuck_is_neither_ready_nor_in_flight():
    look = take(FleetWatch(0), 1, reading(1, "transcode", transcode=QueueReading(ready=3, unacked=4, total=9)))
    assert look.channel("transcode").stuck == 2


def test_a_broker_that_goes_is_gone_since_then_and_its_last_numbers_stay():
    watch = FleetWatch(0)
    take(watch, 1, reading(1, "transcode", transcode=QueueReading(ready=3)))
    take(watch, 2, "connection refused")
    look = take(watch, 9, "connection refused")
    assert (look.broker.answers, look.broker.since, look.broker.reason) == (False, 2, "connection refused")
    assert look.channel("transcode").ready == 3
    assert look.warnings == ()
    back = take(watch, 10, reading(10, "transcode"))
    assert (back.broker.answers, back.broker.since) == (True, 10)


def test_ages_are_known_after_a_restart():
    before, after = FleetWatch(0), FleetWatch(30)
    for now in range(1, 5):
        take(before, now, reading(now, "transcode", transcode=QueueReading(ready=5 if now > 1 else 0, published=now)))
    after.restore(before.state())
    look = take(after, 7, reading(7, "transcode", transcode=QueueReading(ready=5, published=4)))
    assert look.channel("transcode").lag.seconds == 5


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (channel(stuck=2), "stuck"),
        (channel(ready=7, consumers=0), "unattended"),
        (channel(workers=workers(failed=1)), "failed-workers"),
        (channel(lag=channel().lag.__class__(3600.0), ready=1), "lag"),
        (channel(storm=Storm.SUSPECTED), "storm"),
    ],
)
def test_what_holds_is_worth_a_look(seen, kind):
    concerns = Concerns()
    concerns.look(0, (seen,), ())
    (found,) = concerns.look(60, (seen,), ())
    assert (found.kind, found.channel, found.since, found.severity) == (kind, "transcode", 0, "warning")


@pytest.mark.parametrize(
    "seen",
    [
        channel(),
        channel(ready=7, consumers=0, workers=workers(paused=True)),  # meant so
        channel(lag=channel().lag.__class__(3600.0), ready=1, workers=workers(paused=True)),
        channel(ready=7, unacked=5),
        channel(workers=None),
    ],
)
def test_what_is_as_it_should_be_is_not(seen):
    concerns = Concerns()
    for now in (0, 60, 1000):
        assert concerns.look(now, (seen,), ()) == ()


def test_what_passes_by_itself_is_not_shown_and_what_stays_gets_worse():
    concerns = Concerns()
    stuck = (channel(stuck=1),)
    assert concerns.look(0, stuck, ()) == ()
    assert concerns.look(5, (channel(),), ()) == ()
    assert concerns.look(10, stuck, ()) == ()
    assert concerns.look(10 + STUCK_S - 1, stuck, ()) == ()
    assert concerns.look(10 + STUCK_S, stuck, ())[0].severity == "warning"
    assert concerns.look(10 + STUCK_CRITICAL_S, stuck, ())[0].severity == "critical"


def test_alarms_of_nodes_and_raging_storms_come_first():
    concerns = Concerns()
    channels = (channel(ready=1, consumers=0), channel(name="b", storm=Storm.RAGING))
    concerns.look(0, channels, ())
    found = concerns.look(UNATTENDED_S, channels, (NodeAlarm("rabbit@a", "disk", 10, 20),))
    assert [(each.kind, each.severity) for each in found] == [
        ("storm", "critical"),
        ("disk-alarm", "critical"),
        ("unattended", "warning"),
    ]
    assert found[1].values["node"] == "rabbit@a"
