"""The benchmarks can be run: nothing is timed here."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mediaflow_bench.programs.open_loop import percentile
from mediaflow_bench.report import line_of, print_table
from mediaflow_bench.row import Row, at_least, at_most, below, compared, interleaved, no_more_than
from mediaflow_bench.transcode import RENDITIONS
from mediaflow_bench.workplace import Workplace

from media_common.picture_size import Size
from transcode.ladder import choose_ladder

BENCH = Path(__file__).parents[2] / "bench"
PROGRAMS = sorted(path.stem for path in (BENCH / "mediaflow_bench" / "programs").glob("[a-z]*.py"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_measured_program_can_be_imported(program: str) -> None:
    importlib.import_module(f"mediaflow_bench.programs.{program}")


def test_the_command_lists_its_subjects_and_chooses_by_the_beginning_of_a_name() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH / "run.py"), "--list", "worker", "tr"], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["worker-pika", "worker-frameworks", "transcode"]


def test_an_unknown_subject_is_one_clear_line() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH / "run.py"), "nothing"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "publisher" in done.stderr


def test_a_row_holds_when_its_ratio_keeps_the_target() -> None:
    assert Row("r", "msg/s", 9.0, 10.0, at_least(0.9)).holds is True
    assert Row("r", "msg/s", 8.9, 10.0, at_least(0.9)).holds is False
    assert Row("r", "s", 10.5, 10.0, at_most(1.05)).holds is True
    assert Row("r", "ms", 70.0, 1.0, below(70)).holds is False
    assert Row("r", "failed", 0, target=no_more_than(0)).holds is True
    assert Row("r", "s", 1.0, 2.0).holds is None


def test_sides_take_turns_and_go_backwards_every_second_round() -> None:
    order: list[str] = []
    sides = interleaved(3, lambda: order.append("a") or 1, lambda: order.append("b") or 2)

    assert order == ["a", "b", "b", "a", "a", "b"]
    assert sides == [[1, 1, 1], [2, 2, 2]]


def test_a_comparison_is_of_medians_and_shows_the_spread_of_its_pairs() -> None:
    row = compared("r", "s", [1.0, 9.0, 2.0], [2.0, 3.0, 4.0])

    assert (row.ours, row.peer) == (2.0, 3.0)
    assert row.note == "3 pairs 0.50–3.00, best 0.50"
    assert json.dumps(row.as_json())


def test_the_report_shows_figures_targets_and_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    missed = Row("worker", "msg/s", 5000.0, 10000.0, at_least(0.8))
    print_table([missed, Row("p95", "ms", 12.345, target=below(70))])
    worker, p95 = capsys.readouterr().out.splitlines()[1:]

    assert worker.split() == ["worker", "5,000", "msg/s", "10,000", "msg/s", "0.50", "≥", "0.8", "MISSED"]
    assert p95.split() == ["p95", "12.3", "ms", "-", "-", "<", "70", "ms", "holds"]
    assert line_of(missed) == "  worker: 5,000 msg/s against 10,000 msg/s: 0.50  MISSED"


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(number) for number in range(1, 101)]

    assert [percentile(values, share) for share in (0.5, 0.95, 0.99, 1.0)] == [50.0, 95.0, 99.0, 100.0]
    assert percentile([3.0], 0.95) == 3.0


def test_the_command_by_hand_makes_the_services_own_ladder() -> None:
    for lines in (720, 1080):
        theirs = [
            (each.name, f"{each.size.width}:{each.size.height}", each.rung.crf, each.rung.max_rate, each.rung.buffer)
            for each in choose_ladder(Size(lines * 16 // 9, lines))
        ]

        assert theirs == [rendition for height, rendition in RENDITIONS.items() if height <= lines]


def test_a_program_of_the_benchmark_runs_without_the_callers_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIAFLOW_GRACE_S", "7")
    with Workplace(quick=True) as workplace:
        environment = workplace.environment({"AMQP_URL": "amqp://elsewhere"})
        folder = workplace.folder

    assert "MEDIAFLOW_GRACE_S" not in environment
    assert environment["AMQP_URL"] == "amqp://elsewhere"
    assert environment["PATH"] == os.environ["PATH"]
    assert not folder.exists()
