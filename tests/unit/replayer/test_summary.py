import json

import pytest

from mq_common.channels import load_channels
from mq_common.messages import Outcome
from mq_common.replay_rules import ReplayPlan, Verdict
from mq_common.replay_tally import Tally
from replayer.summary import left_by_reason, print_summary, summary_as_json

SPEC = load_channels()["subtitle"]


@pytest.fixture
def tally() -> Tally:
    """Ten there, seven looked at: two moved, one nacked, one unsure, one each for the other reasons to stay."""
    tally = Tally()
    tally.begin_round(10)
    for verdict in (Verdict.NOT_SELECTED, Verdict.OVER_LIMIT, Verdict.CAME_BACK, *[Verdict.REPLAY] * 4):
        tally.decided(verdict)
    tally.left(Outcome.NACKED)
    tally.left(Outcome.UNKNOWN)
    tally.moved = 2
    return tally


def test_what_is_left_adds_up_with_what_moved_to_what_was_there(tally: Tally) -> None:
    assert sum(left_by_reason(ReplayPlan(), tally).values()) + tally.moved == tally.depth


def test_the_summary_says_why_messages_are_left(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    tally.trouble = "media.subtitle takes no more"
    print_summary(SPEC, ReplayPlan(), tally, seconds=2.0, stopped=False)

    said = capsys.readouterr()
    assert said.out.startswith("subtitle: 2 of 10 moved to media.subtitle in 2.0 s, 1/s\n")
    assert "1 left: replayed 3 times already" in said.out
    assert "3 left: not looked at" in said.out
    assert said.err == "replayer: media.subtitle takes no more; those messages stay in media.subtitle.dlq\n"


def test_a_dry_run_says_that_nothing_was_moved(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(SPEC, ReplayPlan(dry_run=True), tally, seconds=2.0, stopped=False)

    assert "4 of 10 would move to media.subtitle; nothing was moved" in capsys.readouterr().out


def test_the_summary_for_programs_is_json(tally: Tally) -> None:
    summary = summary_as_json(SPEC, ReplayPlan(), tally, seconds=2.0, stopped=True)

    assert json.loads(json.dumps(summary)) == summary
    assert (summary["moved"], summary["refused"], summary["unsure"], summary["stopped"]) == (2, 1, 1, True)


def test_a_second_round_counts_what_stayed_anew(tally: Tally) -> None:
    tally.begin_round(8)

    assert (tally.depth, tally.seen, tally.moved, tally.not_selected, tally.failed) == (10, 2, 2, 0, 0)
