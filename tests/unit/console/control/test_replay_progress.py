"""How a replay stands, from its last line and its process."""

from datetime import UTC, datetime

import pytest

from console.control.fleet_control import ReplayRequest
from console.control.replay_progress import ReplayProcess, replay_run

BEGAN, ENDED = datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 11, 30, 13, tzinfo=UTC)


def line(state, **more):
    return {"state": state, "seen": 5, "moved": 3, "left": 9, "total": 12, "message": ""} | more


@pytest.mark.parametrize(
    ("process", "said", "state"),
    [
        ({}, None, "waiting"),
        ({}, line("waiting"), "waiting"),
        ({}, line("running"), "running"),
        ({"stopping": True}, line("running"), "stopping"),
        ({"stopping": True}, None, "stopping"),
        ({"ended_at": ENDED, "exit_code": 0}, line("done"), "done"),
        ({"ended_at": ENDED, "exit_code": 0, "stopping": True}, line("done"), "done"),
        ({"ended_at": ENDED, "exit_code": 0, "stopping": True}, line("stopped"), "stopped"),
        ({"ended_at": ENDED, "exit_code": -15, "stopping": True}, None, "stopped"),
        ({"ended_at": ENDED, "exit_code": -15, "stopping": True}, line("waiting"), "stopped"),
        ({"ended_at": ENDED, "exit_code": -9, "stopping": True}, line("running"), "failed"),
        ({"ended_at": ENDED, "exit_code": 1}, line("failed"), "failed"),
        ({"ended_at": ENDED, "exit_code": 3}, None, "failed"),
        ({"ended_at": ENDED, "exit_code": None}, line("running"), "failed"),
        ({"ended_at": ENDED, "exit_code": 0}, None, "done"),
    ],
)
def test_the_state_follows_from_the_last_line_and_the_process(process, said, state):
    run = replay_run("r", ReplayRequest("subtitle"), ReplayProcess(BEGAN, **process), said)
    assert run.state == state
    assert run.ended == (state in ("done", "stopped", "failed"))


def test_figures_summary_and_trouble_are_taken_over():
    summary = {"moved": 3}
    run = replay_run("r", ReplayRequest("subtitle"), ReplayProcess(BEGAN, ENDED), line("failed", summary=summary))
    assert (run.seen, run.moved, run.left, run.total, run.summary) == (5, 3, 9, 12, summary)
    run = replay_run("r", ReplayRequest("subtitle"), ReplayProcess(BEGAN, said="no image"), {"left": None})
    assert (run.seen, run.left, run.total, run.message) == (0, 0, None, "no image")
