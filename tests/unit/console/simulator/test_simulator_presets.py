"""Each preset shows what its words say, by the numbers that it tells to watch."""

import pytest

from console.simulator.frames import FIELDS
from console.simulator.presets import LESSONS, PRESETS
from console.simulator.run import Run

#: What the page makes of others by itself.
OF_THE_PAGE = {"second_try", "poison_time"}


class Watched:
    """A preset's numbers, twice a second."""

    def __init__(self, name: str, seconds: int) -> None:
        preset = PRESETS[name]
        run = Run(preset.controls, seed=1, cues=preset.cues)
        frames = [frame[0] for frame in run.advance(seconds, seconds * 2)["frames"]]
        self._numbers = {field: [frame[place] for frame in frames] for place, field in enumerate(FIELDS)}

    def __call__(self, field: str, start: float = 0, end: float = 10_000) -> list[float]:
        return self._numbers[field][int(start * 2) : int(end * 2)]

    def last(self, field: str) -> float:
        return self._numbers[field][-1]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_keeping_up() -> None:
    seen = Watched("keeping-up", 40)
    assert max(seen("depth")) < 5
    assert max(seen("lag_s")) < 0.2


def test_too_much() -> None:
    seen = Watched("too-much", 18)
    climb = seen("depth", 6)
    assert climb == sorted(climb)
    assert (climb[-1] - climb[0]) / (len(climb) / 2) == pytest.approx(12, rel=0.15)
    assert seen.last("lag_s") > 3
    assert mean(seen("out_per_s", 8)) == pytest.approx(36, rel=0.05)


def test_back_pressure() -> None:
    seen = Watched("back-pressure", 60)
    assert all(not slowed or depth > 200 for slowed, depth in zip(seen("throttle"), seen("depth"), strict=True))
    assert seen.last("throttle") == pytest.approx(0.5, abs=0.05)
    assert max(seen("depth")) < 300
    assert seen.last("dropped") == 0


def test_dropping() -> None:
    seen = Watched("dropping", 40)
    assert mean(seen("depth", 12)) > 297
    assert seen.last("dropped") > 500
    assert max(seen("throttle")) == 0


def test_keda_and_a_spike() -> None:
    seen = Watched("keda", 40)
    lags = seen("lag_s")
    assert max(seen("lag_s", 0, 5)) < 0.5
    assert 7 < lags.index(max(lags)) / 2 < 15
    assert max(lags) > 1.5
    assert max(seen("lag_s", 18, 22)) < 0.2
    assert max(seen("running")) >= 6


def test_cool_down_and_none() -> None:
    patient, hasty = Watched("patient", 60), Watched("flapping", 60)
    assert len(set(patient("running", 20))) <= 2
    assert len(set(hasty("running", 20))) >= 4
    assert mean(hasty("starting", 20)) > 0.5
    assert mean(hasty("lag_s", 20)) > 2 * mean(patient("lag_s", 20))
    assert hasty.last("worker_s") > patient.last("worker_s")


def test_cpu_instead() -> None:
    seen = Watched("cpu", 20)
    assert set(seen("wanted", 1)) == {2}
    assert max(seen("cpu")) < 0.15
    assert seen.last("lag_s") > 6


def test_wavering_downstream() -> None:
    seen = Watched("transient", 60)
    assert seen.last("retries") > 200
    assert seen.last("second_tries_done") / seen.last("second_tries") > 0.8
    assert seen.last("dead") < 0.01 * seen.last("produced")


def test_poison_with_three_retries() -> None:
    seen = Watched("poison", 30)
    assert max(seen("busy_on_poison")) >= 3
    assert seen.last("dead") == 6
    assert max(seen("busy_on_poison", 18)) == 0
    assert max(seen("lag_s", 18)) < 0.2


def test_poison_for_ever() -> None:
    seen = Watched("poison-for-ever", 90)
    assert mean(seen("busy_on_poison", 15)) == pytest.approx(3, abs=0.6)
    assert mean(seen("busy_on_poison", 15)) / mean(seen("running", 15)) == pytest.approx(0.5, abs=0.1)
    assert seen.last("dead") == 0


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_watches_numbers_that_there_are(name: str) -> None:
    assert {watch.field for watch in PRESETS[name].watch} <= set(FIELDS) | OF_THE_PAGE


def test_every_paragraph_has_its_lesson() -> None:
    assert [len(lesson.presets) for lesson in LESSONS] == [2, 2, 4, 3]
