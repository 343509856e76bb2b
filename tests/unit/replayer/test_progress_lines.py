import json
from typing import Any

import pytest

from mq_common.replay_tally import Tally
from replayer.progress_lines import ProgressLines, progress_line


def counted(moved: int = 0) -> Tally:
    tally = Tally()
    tally.begin_round(10)
    tally.seen, tally.moved = 4, moved
    return tally


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_nothing_is_left_or_there_before_anybody_has_counted() -> None:
    line = progress_line("waiting", Tally(), "waiting for another")

    assert line == {
        "state": "waiting",
        "seen": 0,
        "moved": 0,
        "left": None,
        "total": None,
        "message": "waiting for another",
    }


def test_what_moved_and_what_is_left_add_up() -> None:
    line = progress_line("running", counted(moved=3))

    assert (line["seen"], line["moved"], line["left"], line["total"]) == (4, 3, 7, 10)


def test_a_run_says_that_it_waits_then_how_far_it_is_but_not_all_the_time(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines()

    lines.waiting(Tally())
    for moved in range(1000):
        lines.show(counted(moved))
    lines.ended(counted(moved=10), {"moved": 10}, trouble=None)

    said = written(capsys)
    assert [line["state"] for line in said] == ["waiting", "running", "done"]
    assert [line.get("summary") for line in said] == [None, None, {"moved": 10}]


@pytest.mark.parametrize(
    ("stop", "trouble", "state"),
    [(False, None, "done"), (True, None, "stopped"), (True, "no queue", "failed"), (False, "no queue", "failed")],
)
def test_the_last_line_says_how_it_ended(
    stop: bool, trouble: str | None, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ProgressLines()
    if stop:
        lines.stop()

    lines.ended(counted(), {}, trouble=trouble)

    assert [(line["state"], line["message"]) for line in written(capsys)] == [(state, trouble or "")]


def test_a_run_that_was_asked_to_end_says_so_until_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines()
    lines.stop()

    lines.show(counted())

    assert [line["state"] for line in written(capsys)] == ["stopping"]
