from datetime import timedelta

import pytest

from console.dead_letters.forecast import Fate, foretell
from console.dead_letters.letter_row import LetterRow, row_of
from letter_rows import NOW, damaged, letter
from mq_common.replay_rules import ReplayPlan, Selection

ROWS: list[LetterRow] = [
    row_of(each, n)
    for n, each in enumerate(
        [
            letter("a", hour=8),
            letter("b", hour=11),
            letter("c", hour=8, replays=3),
            letter("d", "delivery_limit", "WorkerLost", hour=8),
            letter("e", error=None, hour=8),
            damaged(),
        ],
        1,
    )
]


@pytest.mark.parametrize(
    ("plan", "fates"),
    [
        (ReplayPlan(), {"moves": 4, "overMaxReplays": 1, "damaged": 1}),
        (ReplayPlan(Selection(max_replays=4)), {"moves": 5, "damaged": 1}),
        (ReplayPlan(Selection(older_than_s=2 * 3600)), {"moves": 3, "tooYoung": 1, "overMaxReplays": 1, "damaged": 1}),
        (ReplayPlan(Selection(error="TransientError")), {"moves": 2, "overMaxReplays": 1, "notChosen": 3}),
        (ReplayPlan(Selection(error="-", reason="rejected")), {"moves": 1, "notChosen": 5}),
        (ReplayPlan(Selection(events=frozenset({"e-a", "e-c"}))), {"moves": 1, "overMaxReplays": 1, "notChosen": 4}),
        (ReplayPlan(limit=2), {"moves": 2, "beyondLimit": 2, "overMaxReplays": 1, "damaged": 1}),
    ],
)
def test_each_letter_has_one_fate(plan: ReplayPlan, fates: dict[str, int]) -> None:
    forecast = foretell(ROWS, plan, NOW)

    assert {fate.value: count for fate, count in forecast.fates.items() if count} == fates
    assert sum(forecast.fates.values()) == len(ROWS)


def test_groups_say_what_goes_and_what_stays_and_leave_out_what_nobody_asked_for() -> None:
    forecast = foretell(ROWS, ReplayPlan(Selection(reason="rejected", error="TransientError")), NOW)

    assert list(forecast.groups) == [("rejected", "TransientError")]
    assert forecast.groups["rejected", "TransientError"][Fate.MOVES] == 2
    assert forecast.groups["rejected", "TransientError"][Fate.OVER_MAX_REPLAYS] == 1


def test_a_rate_says_how_long_it_takes() -> None:
    assert foretell(ROWS, ReplayPlan(rate=2.0), NOW).seconds == 2.0
    assert foretell(ROWS, ReplayPlan(), NOW).seconds is None


def test_time_makes_letters_old_enough() -> None:
    plan = ReplayPlan(Selection(older_than_s=2 * 3600))

    assert foretell(ROWS, plan, NOW + timedelta(hours=1)).fates[Fate.TOO_YOUNG] == 0
