"""Scaling by the queue's length, by hand and by CPU."""

from itertools import pairwise

import pytest

from console.simulator.durations import always
from console.simulator.model import Producers, Setting, Workers
from console.simulator.policies import Cpu, Fixed, Load, QueueLength
from console.simulator.readings import Readings
from console.simulator.simulation import Simulation

QUIET = Producers.steady(9)
#: Two seconds with much to do, three of calm.
SHORT_CALMS = Producers(rates=((0.0, 60.0), (2.0, 0.0)), repeat_s=5.0)


def play(simulation: Simulation, seconds: float, every_s: float = 0.5) -> list[Readings]:
    start, seen = simulation.now, []
    for step in range(1, int(seconds / every_s) + 1):
        simulation.run_until(start + step * every_s)
        seen.append(simulation.read())
    return seen


def spiked(setting: Setting) -> list[Readings]:
    """Ten quiet seconds, a spike of five, and what follows."""
    simulation = Simulation(setting, workers=2)
    simulation.run_until(10)
    simulation.spike(factor=4, seconds=5)
    return play(simulation, 30)


def starts(seen: list[Readings]) -> int:
    """Give how often more workers were there than the look before, in workers."""
    counts = [each.starting + each.running for each in seen]
    return sum(max(0, after - before) for before, after in pairwise(counts))


@pytest.mark.parametrize(
    ("ready", "unacked", "wanted"), [(0, 0, 1), (15, 0, 1), (15, 1, 2), (31, 0, 3), (0, 16, 2), (500, 12, 12)]
)
def test_wanted_is_waiting_and_in_process_by_fifteen_rounded_up_to_the_maximum(
    ready: int, unacked: int, wanted: int
) -> None:
    assert QueueLength(maximum=12).wanted(Load(ready, unacked, workers=1, cpu=0.9)) == wanted


def test_with_keda_lag_rises_first_and_then_recovers() -> None:
    seen = spiked(Setting(producers=QUIET, scaling=QueueLength(minimum=2)))

    lags = [each.lag_s for each in seen]
    peak = lags.index(max(lags))
    assert lags[0] < lags[peak]
    assert lags[peak] > 1
    assert 2 < peak * 0.5 < 12
    assert lags[-1] < 0.2
    assert max(each.running for each in seen) >= 6


def test_scale_up_is_wanted_at_once_and_its_consumers_take_messages_when_they_have_started() -> None:
    setting = Setting(
        producers=Producers.steady(0),
        workers=Workers(start_up=always(3)),
        scaling=QueueLength(interval_s=0.5),
    )
    simulation = Simulation(setting, backlog=150, workers=1)

    simulation.run_until(0.1)
    asked = simulation.read()
    simulation.run_until(2.9)
    before = simulation.read()
    simulation.run_until(3.1)

    assert (asked.wanted, asked.starting, asked.running) == (10, 9, 1)
    assert (before.starting, before.running) == (9, 1)
    assert simulation.read().running == 10


def test_scale_down_waits_for_five_seconds_of_calm() -> None:
    simulation = Simulation(Setting(producers=Producers.steady(0), scaling=QueueLength()), backlog=60, workers=12)
    while simulation.read().in_process:
        simulation.run_until(simulation.now + 0.5)
    calm = simulation.now

    simulation.run_until(calm + 3.5)
    assert simulation.read().running > 1
    simulation.run_until(calm + 6)
    assert simulation.read().running == 1


def test_the_cool_down_keeps_a_short_calm_from_flapping() -> None:
    patient = Simulation(Setting(producers=SHORT_CALMS, scaling=QueueLength(cooldown_s=5)))
    hasty = Simulation(Setting(producers=SHORT_CALMS, scaling=QueueLength(cooldown_s=0)))
    for simulation in (patient, hasty):
        simulation.run_until(20)

    patient_seen, hasty_seen = play(patient, 60), play(hasty, 60)

    assert starts(hasty_seen) > 20
    assert starts(patient_seen) <= 2
    # and patience is not even paid for: those who came and went had to start each time
    assert max(each.lag_s for each in patient_seen) < max(each.lag_s for each in hasty_seen) / 2
    assert patient_seen[-1].worker_s < hasty_seen[-1].worker_s


def test_keda_off_two_consumers_and_a_spike_cpu_does_not_see_it() -> None:
    """An I/O-bound consumer is busy all the time and hardly uses its CPU: the wrong signal."""
    seen = spiked(Setting(producers=QUIET, scaling=Cpu(minimum=2, maximum=12)))

    assert {each.starting + each.running for each in seen} == {2}
    assert max(each.cpu for each in seen) < 0.15
    assert max(each.lag_s for each in seen) > 6
    assert seen[-1].lag_s > 3


def test_cpu_is_the_right_signal_where_the_work_is_cpu() -> None:
    busy = Workers(cpu_of_job=0.95)

    seen = spiked(Setting(producers=QUIET, workers=busy, scaling=Cpu(minimum=2, maximum=12)))

    assert max(each.running for each in seen) > 4


def test_work_that_becomes_another_while_it_is_worked_on_is_measured_right() -> None:
    simulation = Simulation(Setting(producers=Producers.steady(60), scaling=Fixed(count=4)))
    simulation.run_until(5)
    for cpu_of_job in (0.9, 0.1, 0.9):
        simulation.steer(simulation.setting.model_copy(update={"workers": Workers(cpu_of_job=cpu_of_job)}))
        simulation.run_until(simulation.now + 3)

        assert simulation.read().cpu == pytest.approx(cpu_of_job, abs=0.02)


def test_two_fixed_consumers_stay_two() -> None:
    seen = spiked(Setting(producers=QUIET, scaling=Fixed(count=2)))

    assert {each.running for each in seen} == {2}


def test_more_by_hand_start_at_once_and_fewer_finish_what_they_hold() -> None:
    simulation = Simulation(Setting(producers=Producers.steady(60), scaling=Fixed(count=2)))
    simulation.run_until(10)

    simulation.steer(simulation.setting.model_copy(update={"scaling": Fixed(count=8)}))
    simulation.run_until(10.1)
    assert (simulation.read().starting, simulation.read().running) == (6, 2)
    simulation.run_until(20)
    simulation.steer(simulation.setting.model_copy(update={"scaling": Fixed(count=1)}))
    simulation.run_until(20.01)

    read = simulation.read()
    assert read.running == 1
    assert read.stopping == read.in_process - 1 > 0
    assert read.accounted == read.counts.produced


def test_the_stabilisation_of_kubernetes_tolerates_a_tenth() -> None:
    policy = QueueLength(tolerance=0.1, maximum=12)

    assert policy.wanted(Load(ready=64, unacked=0, workers=4, cpu=0)) == 4
    assert policy.wanted(Load(ready=67, unacked=0, workers=4, cpu=0)) == 5
