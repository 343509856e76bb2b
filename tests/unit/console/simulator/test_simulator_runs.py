"""Viewers' simulations: steered by requests, and bounded."""

import itertools

import pytest
from pydantic import ValidationError

from console.simulator import runs as runs_module
from console.simulator.controls import Controls
from console.simulator.frames import FIELDS, thinned
from console.simulator.run import Cue, Run
from console.simulator.runs import NoSuchRun, Runs, TooFast, TooManyRuns

CONTROLS = Controls()


def number(frame: list, field: str) -> float:
    return frame[0][FIELDS.index(field)]


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(runs_module.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_frames_are_evenly_spaced_moments() -> None:
    answer = Run(CONTROLS, seed=1).advance(2, 4)

    assert [number(frame, "time_s") for frame in answer["frames"]] == [0.5, 1, 1.5, 2]


def test_switches_take_effect_from_the_moment_that_is_reached() -> None:
    run = Run(CONTROLS, seed=1)
    run.advance(5, 1)

    after = run.advance(5, 1, controls=CONTROLS.model_copy(update={"rate": 0.0}))["frames"][0]

    assert number(after, "produced") == pytest.approx(120, abs=2)
    assert number(after, "offered_per_s") == 0


def test_a_cue_comes_at_its_moment_and_the_page_hears_which_controls_moved() -> None:
    run = Run(CONTROLS, seed=1, cues=(Cue(1.5, controls={"rate": 90.0}), Cue(1.0, action="poison")))

    first, second = run.advance(1.2, 1), run.advance(2, 1)

    assert first["controls"] is None
    assert number(first["frames"][0], "offered_per_s") == 24
    assert second["controls"]["rate"] == 90
    assert number(second["frames"][0], "offered_per_s") == 90


def test_the_same_requests_give_the_same_frames() -> None:
    first, second = (Run(CONTROLS, seed=9).advance(10, 20, actions=("spike", "poison")) for _ in range(2))

    assert first == second


def test_poison_can_be_sent_many_times_but_not_without_an_end() -> None:
    run = Run(CONTROLS.model_copy(update={"endless": True}), seed=1)
    for _ in range(40):
        run.advance(2.5, 1, actions=("poison",))

    assert run._simulation.poison_about() <= 60


def test_few_steps_are_all_told_and_of_many_a_part_of_which_poison_is_not_lost() -> None:
    run = Run(Controls(rate=150, consumers=12), seed=1)
    quiet = Run(Controls(rate=6), seed=1).advance(0.25, 5)["steps"]
    loud = run.advance(10, 10, actions=("poison",))["steps"]

    assert [step[1] for step in quiet][:2] == ["put", "taken"]
    assert len(loud) < 10 * 15
    assert {step[2] for step in loud if step[4] == 2}


def test_no_steps_no_trouble() -> None:
    assert thinned([], 0.05) == []


@pytest.mark.parametrize(
    "wrong", [{"rate": 10_000}, {"consumers": 13}, {"high_water": 1.5}, {"caller": "cry"}, {"unknown": 1}]
)
def test_controls_are_bounded(wrong: dict) -> None:
    with pytest.raises(ValidationError):
        Controls(**wrong)


@pytest.mark.parametrize(
    ("scaling", "caller", "pattern", "pressed"),
    list(
        itertools.product(
            ("fixed", "keda", "cpu"), ("wait", "shed", "retry"), ("even", "poisson", "gusts"), (True, False)
        )
    ),
)
def test_every_switch_makes_a_setting(scaling: str, caller: str, pattern: str, pressed: bool) -> None:
    controls = Controls(
        scaling=scaling, caller=caller, pattern=pattern, back_pressure=pressed, minimum=9, maximum=4, endless=pressed
    )
    frames = Run(controls, seed=1).advance(3, 1)["frames"]

    assert number(frames[0], "produced") > 0


def test_gusts_have_the_mean_that_was_set() -> None:
    run = Run(Controls(rate=20, pattern="gusts"), seed=1)

    assert number(run.advance(50, 1)["frames"][0], "produced") == pytest.approx(1000, rel=0.02)


def test_an_id_can_not_be_guessed_and_leads_to_its_run() -> None:
    runs = Runs(3)
    run = Run(CONTROLS, seed=1)
    key = runs.add(run)

    assert len(key) >= 16
    assert runs.take(key, 1) is run
    with pytest.raises(NoSuchRun):
        runs.take(key[:-1] + "!", 1)
    runs.remove(key)
    with pytest.raises(NoSuchRun):
        runs.take(key, 1)


def test_a_run_that_rests_for_long_ends(clock: Clock) -> None:
    runs = Runs(3)
    key = runs.add(Run(CONTROLS, seed=1))
    clock.now += runs_module.REST_S - 1
    runs.take(key, 1).advance(1, 1)
    clock.now += runs_module.REST_S + 1

    with pytest.raises(NoSuchRun):
        runs.take(key, 1)
    assert len(runs) == 0


def test_when_all_places_are_taken_only_a_resting_one_makes_way(clock: Clock) -> None:
    runs = Runs(2)
    resting, playing = (runs.add(Run(CONTROLS, seed=1)) for _ in range(2))
    with pytest.raises(TooManyRuns):
        runs.add(Run(CONTROLS, seed=1))
    clock.now += 90
    runs.take(playing, 1).advance(1, 1)

    runs.add(Run(CONTROLS, seed=1))

    runs.take(playing, 1)
    with pytest.raises(NoSuchRun):
        runs.take(resting, 1)


def test_nobody_makes_the_console_simulate_faster_than_the_page_can(clock: Clock) -> None:
    runs = Runs(2)
    key = runs.add(Run(CONTROLS, seed=1))
    for _ in range(3):
        runs.take(key, 20)
    with pytest.raises(TooFast):
        runs.take(key, 20)
    clock.now += 1

    runs.take(key, 20)
