"""Back-pressure or dropping: what a bounded queue does when it is full."""

import pytest

from console.simulator.door import room_share
from console.simulator.model import BackPressure, Producers, Queue, Setting
from console.simulator.policies import Fixed
from console.simulator.simulation import Simulation
from ingest.shedding import shed_fraction

TOO_MUCH = Producers.steady(90)


def steps(simulation: Simulation, seconds: int) -> list[float]:
    return [simulation.now + tenth / 10 for tenth in range(1, seconds * 10 + 1)]


@pytest.mark.parametrize("rate", [40, 90, 200])
def test_with_back_pressure_nothing_is_dropped_and_depth_stays_under_300(rate: float) -> None:
    simulation = Simulation(Setting(producers=Producers.steady(rate)))

    for moment in steps(simulation, 40):
        simulation.run_until(moment)
        assert simulation.read().depth < 300

    assert simulation.read().counts.dropped == 0
    assert simulation.read().deepest < 300


def test_without_back_pressure_drops_begin_at_300_and_not_before() -> None:
    simulation = Simulation(Setting(producers=TOO_MUCH, queue=Queue(back_pressure=None)))

    for moment in steps(simulation, 30):
        simulation.run_until(moment)
        read = simulation.read()
        assert read.throttle == 0
        assert read.counts.dropped == 0 or read.deepest == 300
        assert read.depth <= 300

    assert read.counts.dropped > 500


def test_producers_are_slowed_from_the_moment_depth_passes_70_percent_and_not_before() -> None:
    simulation = Simulation(Setting(producers=TOO_MUCH))
    moments = iter(steps(simulation, 30))

    while simulation.read().depth <= 0.7 * 300:
        assert simulation.read().throttled_s == 0
        simulation.run_until(next(moments))
    simulation.run_until(simulation.now + 1)

    assert simulation.read().throttled_s > 0


def test_producers_are_slowed_in_proportion_to_the_room_that_is_left() -> None:
    simulation = Simulation(Setting(producers=TOO_MUCH))
    simulation.run_until(60)
    start = simulation.read()

    simulation.run_until(80)

    read = simulation.read()
    room_left = (300 - read.depth) / (300 - 210)
    came_in = (read.counts.admitted - start.counts.admitted) / 20
    assert came_in / 90 == pytest.approx(room_left, abs=0.05)
    assert read.throttle == pytest.approx(1 - room_left)
    assert read.held_back - start.held_back == pytest.approx((90 - came_in) * 20, rel=0.05)


def test_the_rule_is_the_one_that_ingest_sheds_by() -> None:
    for depth in range(0, 310, 5):
        assert room_share(depth, 300, 0.7) == pytest.approx(1 - shed_fraction(depth, 300, 0.7))


def test_a_caller_may_wait_and_then_nothing_is_lost_anywhere() -> None:
    simulation = Simulation(Setting(producers=TOO_MUCH, queue=Queue(back_pressure=BackPressure(caller="wait"))))
    simulation.run_until(40)

    counts = simulation.read().counts
    assert counts.produced == counts.admitted
    assert counts.refused == counts.refusals == 0


def test_a_caller_may_shed_and_then_every_message_it_let_go_of_is_counted() -> None:
    simulation = Simulation(Setting(producers=TOO_MUCH, queue=Queue(back_pressure=BackPressure(caller="shed"))))
    simulation.run_until(40)

    read = simulation.read()
    assert read.counts.produced == pytest.approx(90 * 40, abs=4)
    assert read.counts.produced == read.counts.admitted + read.counts.refused
    assert read.counts.refused > 500
    assert read.deepest < 300


def test_a_caller_may_get_a_429_and_come_again_which_saves_a_short_spike() -> None:
    setting = Setting(
        producers=Producers.steady(12),
        queue=Queue(capacity=60, back_pressure=BackPressure(caller="retry")),
        scaling=Fixed(count=4),
    )
    simulation = Simulation(setting)
    simulation.spike(factor=4, seconds=4)
    simulation.run_until(4)
    during = simulation.read()
    simulation.run_until(30)

    read = simulation.read()
    assert during.with_callers > 5
    assert read.counts.refusals > 20
    assert read.with_callers == 0
    assert read.counts.refused < read.counts.refusals / 5


def test_switching_back_pressure_off_takes_effect_at_that_moment() -> None:
    simulation = Simulation(Setting(producers=TOO_MUCH))
    simulation.run_until(30)
    assert simulation.read().counts.dropped == 0

    simulation.steer(simulation.setting.model_copy(update={"queue": Queue(back_pressure=None)}))
    simulation.run_until(35)

    assert simulation.read().counts.dropped > 50
    assert simulation.read().deepest == 300
