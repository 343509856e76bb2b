"""Depth and lag: "the whole story of most incidents with queues"."""

import pytest

from console.simulator.durations import Around
from console.simulator.model import Producers, Setting, Workers
from console.simulator.policies import Fixed
from console.simulator.readings import Readings
from console.simulator.simulation import Simulation


def readings(simulation: Simulation, seconds: int, every_s: float = 0.5) -> list[Readings]:
    start, seen = simulation.now, []
    for step in range(1, int(seconds / every_s) + 1):
        simulation.run_until(start + step * every_s)
        seen.append(simulation.read())
    return seen


@pytest.mark.parametrize("pattern", ["even", "poisson"])
def test_consumers_that_keep_up_keep_depth_near_empty_and_lag_near_zero(pattern: str) -> None:
    setting = Setting(producers=Producers.steady(24, pattern=pattern), scaling=Fixed(count=6))

    seen = readings(Simulation(setting, seed=3), 60)

    assert sum(each.depth for each in seen) / len(seen) < 3
    assert sum(each.lag_s for each in seen) / len(seen) < 0.1
    assert seen[-1].counts.done > 24 * 60 * 0.9


def test_above_what_consumers_can_drain_depth_and_lag_climb_together() -> None:
    setting = Setting(producers=Producers.steady(48), scaling=Fixed(count=6))

    seen = readings(Simulation(setting), 15, every_s=3)

    depths, lags = [each.depth for each in seen], [each.lag_s for each in seen]
    assert depths == sorted(depths)
    assert lags == sorted(lags)
    assert depths[-1] > 150
    assert lags[-1] > 3


def test_a_consumer_takes_about_six_messages_a_second() -> None:
    setting = Setting(producers=Producers.steady(20), scaling=Fixed(count=1))

    simulation = Simulation(setting)
    simulation.run_until(30)

    assert simulation.read().counts.done / 30 == pytest.approx(6, rel=0.1)


def test_lag_is_the_age_of_the_message_that_waits_longest() -> None:
    """With nobody who takes any, it is the age of the first message."""
    setting = Setting(producers=Producers(count=1, rates=((0.0, 1.0),)), scaling=Fixed(count=0))
    simulation = Simulation(setting)
    assert simulation.read().lag_s == 0

    simulation.run_until(10.5)

    assert simulation.read().lag_s == pytest.approx(9.5)


def test_what_producers_send_stops_at_the_simulated_moment_their_rate_is_set_to_nothing() -> None:
    simulation = Simulation(Setting(producers=Producers.steady(40)))
    simulation.run_until(5)
    before = simulation.read().counts.produced

    simulation.steer(simulation.setting.model_copy(update={"producers": Producers.steady(0)}))
    simulation.run_until(10)

    assert before == pytest.approx(200, abs=4)
    assert simulation.read().counts.produced == before


def test_a_spike_multiplies_the_rate_for_its_time() -> None:
    simulation = Simulation(Setting(producers=Producers.steady(10), workers=Workers(service=Around(mean_s=0.01))))
    simulation.run_until(10)

    simulation.spike(factor=4, seconds=5)
    simulation.run_until(15)
    during = simulation.read().counts.produced - 100
    simulation.run_until(25)

    assert during == pytest.approx(200, abs=5)
    assert simulation.read().counts.produced == pytest.approx(400, abs=6)
