from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common.dead_letters import DeathHistory
from mq_common.replay_rules import NO_ERROR_KNOWN, Selection, Verdict

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
REPLAY, NOT_SELECTED, TOO_YOUNG = Verdict.REPLAY, Verdict.NOT_SELECTED, Verdict.TOO_YOUNG


def died(
    reason: str = "rejected", *, hours_ago: float | None = 1.0, replays: int = 0, run: str | None = None
) -> DeathHistory:
    at = None if hours_ago is None else NOW - timedelta(hours=hours_ago)
    return DeathHistory(reason, at, replays, at, reason, run)


@pytest.mark.parametrize(
    ("selection", "history", "verdict"),
    [
        (Selection(), died(), REPLAY),
        (Selection(), died("unknown", hours_ago=None), REPLAY),
        (Selection(reason="rejected"), died(), REPLAY),
        (Selection(reason="rejected"), died("delivery_limit"), NOT_SELECTED),
        (Selection(asset="a-1"), died(), REPLAY),
        (Selection(asset="a-2"), died(), NOT_SELECTED),
        (Selection(older_than_s=3600), died(), REPLAY),
        (Selection(older_than_s=3601), died(), TOO_YOUNG),
        (Selection(older_than_s=1), died(hours_ago=None), TOO_YOUNG),
        (Selection(older_than_s=3601), died(replays=3), TOO_YOUNG),
        (Selection(older_than_s=3601, reason="delivery_limit"), died(), NOT_SELECTED),
        (Selection(events=frozenset({"e-1", "e-2"})), died(), REPLAY),
        (Selection(events=frozenset({"e-2"})), died(), NOT_SELECTED),
        (Selection(events=frozenset({"e-1"}), reason="delivery_limit"), died(), NOT_SELECTED),
        (Selection(events=frozenset({"e-1"})), died(replays=3), Verdict.OVER_LIMIT),
        (Selection(), died(replays=2), REPLAY),
        (Selection(), died(replays=3), Verdict.OVER_LIMIT),
        (Selection(max_replays=4), died(replays=3), REPLAY),
        (Selection(max_replays=0), died(), Verdict.OVER_LIMIT),
        (Selection(reason="delivery_limit"), died(replays=3), NOT_SELECTED),
        (Selection(), died(run="another"), REPLAY),
        (Selection(), died(run="this", replays=1), Verdict.CAME_BACK),
        (Selection(asset="a-2"), died(run="this"), NOT_SELECTED),
    ],
)
def test_a_replay_takes_what_is_selected_under_its_limit_and_not_its_own(
    selection: Selection, history: DeathHistory, verdict: Verdict
) -> None:
    assert selection.verdict(history, event_id="e-1", asset_id="a-1", now=NOW, run="this") is verdict


def test_a_message_without_an_asset_is_nobodys() -> None:
    assert Selection(asset="a-1").verdict(died(), event_id=None, asset_id=None, now=NOW, run="r") is NOT_SELECTED


def test_a_message_without_an_id_is_none_of_those_chosen_one_by_one() -> None:
    selection = Selection(events=frozenset({"e-1"}))

    assert selection.verdict(died(), event_id=None, asset_id="a-1", now=NOW, run="r") is NOT_SELECTED


def test_an_error_is_compared_only_when_it_is_asked_for() -> None:
    assert Selection().wants_error(None)
    assert Selection(error="BadMedia").wants_error("BadMedia")
    assert not Selection(error="BadMedia").wants_error("ToolFailed")
    assert not Selection(error="BadMedia").wants_error(None)
    assert Selection(error=NO_ERROR_KNOWN).wants_error(None)
    assert not Selection(error=NO_ERROR_KNOWN).wants_error("BadMedia")


@given(st.integers(0, 10), st.integers(0, 10))
def test_a_message_is_replayed_as_often_as_allowed_and_not_once_more(limit: int, replays: int) -> None:
    verdict = Selection(max_replays=limit).verdict(
        died(replays=replays), event_id=None, asset_id=None, now=NOW, run="r"
    )

    assert (verdict is REPLAY) == (replays < limit)
