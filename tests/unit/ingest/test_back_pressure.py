"""The decision at the door, with readings and a clock of the test's own."""

from collections.abc import Callable, Iterator

import pytest
from structlog.testing import capture_logs

from ingest.arrivals import Arrivals
from ingest.back_pressure import BackPressure
from ingest.door import Door
from ingest.problems import Problem
from mq_common.errors import BrokerUnreachable


class Broker:
    """What the door is told: depths by queue, or a failure; and a clock that stands still."""

    def __init__(self) -> None:
        self.depths = {"media.transcode": 0}
        self.fails = False
        self.now = 100.0

    def read(self) -> dict[str, int]:
        if self.fails:
            raise BrokerUnreachable("queue depths can't be read")
        return dict(self.depths)


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.fixture
def start(broker) -> Iterator[Callable[..., BackPressure]]:
    started = []

    def start_one(capacity=300) -> BackPressure:
        pressure = BackPressure(
            broker.read,
            capacity=capacity,
            high_water=0.7,
            interval_s=60,
            arrivals=Arrivals(),
            clock=lambda: broker.now,
        )
        started.append(pressure)
        pressure.start()
        pressure.refresh()
        return pressure

    yield start_one
    for pressure in started:
        pressure.close()


@pytest.fixture
def pressure(start) -> BackPressure:
    return start()


def _see(broker, pressure, after_s=0.0, **depths):
    broker.now += after_s
    broker.depths = {f"media.{channel}": depth for channel, depth in depths.items()}
    pressure.refresh()


def _refusals(pressure, count):
    """The problems of so many uploads."""
    problems = []
    for _ in range(count):
        try:
            pressure.admit(lambda: False)
        except Problem as problem:
            problems.append(problem)
    return problems


def _burst(pressure, count):
    with pressure.admit_burst(count):
        pass


def test_up_to_the_high_water_mark_everybody_is_let_in(broker, pressure):
    _see(broker, pressure, thumbnail=0, transcode=200)
    assert _refusals(pressure, 10) == []


def test_the_deepest_queue_decides(broker, pressure):
    _see(broker, pressure, thumbnail=3, transcode=300, subtitle=250)
    assert len(_refusals(pressure, 10)) == 10
    _see(broker, pressure, thumbnail=3, transcode=200, subtitle=201)
    assert _refusals(pressure, 5) == []


def test_half_way_between_mark_and_capacity_every_second_one_is_refused(broker, start):
    broker.depths = {"media.transcode": 255_000}
    assert len(_refusals(start(300_000), 200)) == 100


def test_what_is_let_in_between_two_readings_counts(broker, pressure):
    _see(broker, pressure, transcode=200)
    broker.fails = True  # the next readings give nothing
    refused = _refusals(pressure, 1000)
    assert 1000 - len(refused) == 100
    assert refused[-1].members == {"depth": 300, "capacity": 300, "left": 0}


def test_a_refusal_says_when_to_come_again_by_the_queues_own_drain(broker, start):
    broker.depths = {"media.thumbnail": 0, "media.transcode": 320}
    pressure = start()
    assert _refusals(pressure, 1)[0].response_headers()["Retry-After"] == "60"  # no drain seen
    _see(broker, pressure, 2, thumbnail=0, transcode=300)
    [problem] = _refusals(pressure, 1)
    assert problem.kind.status == 429
    assert problem.response_headers()["Retry-After"] == "9"  # 10 messages/s, and 90 above the mark
    assert "Send it again in 9 s" in problem.detail


def test_a_repetition_of_what_is_published_already_is_let_in(broker, pressure):
    _see(broker, pressure, transcode=300)
    pressure.admit(lambda: True)
    assert len(_refusals(pressure, 1)) == 1


def test_the_door_asks_for_the_key_only_when_it_sheds(broker, pressure, publisher):
    asked = []

    def is_announced(key):
        asked.append(key)
        return key == "known"

    door = Door(publisher, files_at_once=1, back_pressure=pressure, is_announced=is_announced)
    door.admit("any")
    assert asked == []
    _see(broker, pressure, transcode=300)
    door.admit("known")
    with door.admit_file("known"):
        pass
    for key in ("new", None):
        with pytest.raises(Problem):
            door.admit(key)
        with pytest.raises(Problem), door.admit_file(key):
            pass
    assert asked == ["known", "known", "new", "new"]


def test_a_burst_larger_than_what_is_left_is_refused_as_a_whole(broker, pressure):
    broker.depths = {"media.transcode": 150}
    with pytest.raises(Problem) as refused:
        _burst(pressure, 151)
    assert refused.value.kind.slug == "over-capacity"
    assert refused.value.members["left"] == 150
    _burst(pressure, 150)


def test_a_burst_above_the_capacity_hears_that_it_never_fits(broker, pressure):
    with pytest.raises(Problem) as refused:
        _burst(pressure, 301)
    assert "never fits" in refused.value.detail


def test_a_burst_is_decided_by_a_reading_of_its_own(broker, pressure):
    _see(broker, pressure, transcode=300)
    broker.depths = {"media.transcode": 0}
    _burst(pressure, 300)


def test_two_bursts_at_once_do_not_take_the_same_room(broker, pressure):
    with pressure.admit_burst(200):
        with pytest.raises(Problem) as refused:
            _burst(pressure, 101)
        assert refused.value.members["left"] == 100


def test_a_poll_that_fails_sheds_neither_for_ever_nor_never(broker, pressure):
    _see(broker, pressure, transcode=300)
    broker.fails = True
    broker.now += 30
    assert len(_refusals(pressure, 5)) == 5  # a reading counts for three intervals
    broker.now += 150 + 60
    refused = _refusals(pressure, 1000)
    assert 210 <= 1000 - len(refused) <= 301


def test_a_failing_poll_is_logged_once_and_once_when_it_works_again(broker, pressure):
    with capture_logs() as logs:
        broker.fails = True
        pressure.refresh()
        pressure.refresh()
        broker.fails = False
        pressure.refresh()
        pressure.refresh()
    assert [entry["event"] for entry in logs] == ["depth_poll_failed", "depth_poll_recovered"]
    assert logs[0]["error"] == "queue depths can't be read"


def test_shedding_is_logged_at_its_start_and_after_a_calm(broker, pressure):
    with capture_logs() as logs:
        _see(broker, pressure, transcode=300)
        _refusals(pressure, 3)
        _see(broker, pressure, 5, transcode=300)
        _refusals(pressure, 2)
        _see(broker, pressure, 9, transcode=0)
        _see(broker, pressure, 2, transcode=0)
    assert [entry["event"] for entry in logs] == ["shedding_started", "shedding_ended"]
    assert (logs[0]["queue"], logs[0]["depth"], logs[0]["capacity"]) == ("media.transcode", 300, 300)
    assert (logs[1]["shed"], logs[1]["seconds"]) == (5, 5.0)
