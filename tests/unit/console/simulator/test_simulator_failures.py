"""Retries, poison messages and the dead-letter queue."""

import pytest

from console.simulator.durations import always
from console.simulator.model import Faults, Producers, Retries, Setting, Workers
from console.simulator.policies import Fixed, QueueLength
from console.simulator.simulation import Simulation

FOR_EVER = Retries(count=None)


def poisoned(setting: Setting, *, seconds: float = 60) -> Simulation:
    """Six poison messages, and the time after they have come round a few times."""
    simulation = Simulation(setting, seed=5)
    simulation.run_until(5)
    simulation.send_poison(6)
    simulation.run_until(5 + seconds)
    return simulation


def share_lost(simulation: Simulation, seconds: float) -> float:
    """Give the share of the consumers' time that goes into poison, over the next so many seconds."""
    before = simulation.read()
    simulation.run_until(simulation.now + seconds)
    after = simulation.read()
    return (after.poison_s - before.poison_s) / (after.worker_s - before.worker_s)


@pytest.mark.parametrize("rate", [6, 12, 15])
def test_six_poison_messages_with_endless_retry_keep_about_half_of_the_consumers_busy(rate: float) -> None:
    setting = Setting(producers=Producers.steady(rate), retries=FOR_EVER, scaling=Fixed(count=6))

    simulation = poisoned(setting)

    assert share_lost(simulation, 60) == pytest.approx(0.5, abs=0.12)
    assert simulation.read().counts.dead == 0


def test_six_poison_messages_keep_about_half_of_the_consumers_busy_that_keda_asks_for() -> None:
    setting = Setting(producers=Producers.steady(6), retries=FOR_EVER, scaling=QueueLength(maximum=12))

    assert share_lost(poisoned(setting), 120) == pytest.approx(0.5, abs=0.15)


def test_they_do_so_for_ever() -> None:
    setting = Setting(producers=Producers.steady(12), retries=FOR_EVER)

    simulation = poisoned(setting, seconds=600)

    assert share_lost(simulation, 60) > 0.4
    read = simulation.read()
    assert read.busy_on_poison + read.back_off + len([kind for _, kind in simulation.marked() if kind == "poison"]) == 6


def test_after_three_retries_and_four_attempts_they_are_dead_letters_and_consumers_are_free() -> None:
    simulation = poisoned(Setting(producers=Producers.steady(12), retries=Retries(count=3)), seconds=20)

    read = simulation.read()
    assert read.counts.dead == 6
    assert read.counts.failures == 6 * 4
    assert read.counts.retries == 6 * 3
    assert share_lost(simulation, 60) == 0


def test_a_dead_letter_can_be_looked_at_later() -> None:
    simulation = poisoned(Setting(producers=Producers.steady(12), retries=Retries(count=3)), seconds=20)

    letters = simulation.dead_letters()
    assert [(letter.kind, letter.tries) for letter in letters] == [("poison", 4)] * 6
    assert all(letter.died_at_s - letter.made_at_s >= 4 * 1.2 + 0.25 + 0.5 + 1 for letter in letters)


def test_a_poison_message_hangs_for_1_2_seconds_and_its_back_off_is_a_quarter_a_half_and_one_second() -> None:
    simulation = Simulation(
        Setting(producers=Producers.steady(0), workers=Workers(start_up=always(0)), scaling=Fixed(count=1)), trace=True
    )
    simulation.send_poison(1)
    simulation.run_until(20)

    moments = [(step.what, round(step.time_s, 6)) for step in simulation.steps()]
    assert moments == [
        ("put", 0.0),
        ("taken", 0.0),
        ("failed", 1.2),
        ("back", 1.45),
        ("taken", 1.45),
        ("failed", 2.65),
        ("back", 3.15),
        ("taken", 3.15),
        ("failed", 4.35),
        ("back", 5.35),
        ("taken", 5.35),
        ("dead", 6.55),
    ]


def test_a_failed_message_goes_to_the_end_of_the_queue() -> None:
    setting = Setting(
        producers=Producers.steady(0), faults=Faults(transient=1, transient_again=0), scaling=Fixed(count=1)
    )
    simulation = Simulation(setting, backlog=20, trace=True)
    simulation.run_until(20)

    taken = [step.number for step in simulation.steps() if step.what == "taken"]
    assert taken == [*range(1, 21), *range(1, 21)]


def test_transient_failures_succeed_mostly_at_the_second_try() -> None:
    setting = Setting(producers=Producers.steady(24), faults=Faults(transient=0.2))
    simulation = Simulation(setting)
    simulation.run_until(120)

    counts = simulation.read().counts
    assert counts.failures / counts.produced == pytest.approx(0.235, abs=0.03)
    assert counts.second_tries_done / counts.second_tries == pytest.approx(0.85, abs=0.04)
    assert counts.dead < 0.01 * counts.produced


def test_rejected_messages_are_dead_letters_after_one_attempt() -> None:
    setting = Setting(producers=Producers.steady(24), faults=Faults(rejected=0.1))
    simulation = Simulation(setting)
    simulation.run_until(60)

    counts = simulation.read().counts
    assert counts.dead / counts.produced == pytest.approx(0.1, abs=0.03)
    assert counts.retries == 0


def test_a_retry_in_the_worker_keeps_its_worker_for_the_back_off() -> None:
    faults = Faults(transient=1, transient_again=0)
    in_queue = Setting(producers=Producers.steady(5.5), faults=faults, scaling=Fixed(count=2))
    in_worker = in_queue.model_copy(update={"retries": Retries(where="worker")})
    simulations = [Simulation(setting) for setting in (in_queue, in_worker)]
    for simulation in simulations:
        simulation.run_until(30)

    queue, worker = (simulation.read() for simulation in simulations)
    assert queue.depth < 5
    assert worker.depth > 20
    assert worker.back_off == 0


def test_switching_to_three_retries_lets_the_poison_of_an_endless_loop_go() -> None:
    simulation = poisoned(Setting(producers=Producers.steady(12), retries=FOR_EVER))

    simulation.steer(simulation.setting.model_copy(update={"retries": Retries(count=3)}))
    simulation.run_until(simulation.now + 10)

    assert simulation.read().counts.dead == 6
    assert simulation.read().busy_on_poison == 0
