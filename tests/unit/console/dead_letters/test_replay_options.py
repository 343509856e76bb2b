from typing import Any

import pytest
from pydantic import ValidationError

from console.dead_letters.options import ReplayOptions
from mq_common.replay_rules import Selection


def test_the_page_and_the_replayer_mean_the_same() -> None:
    options = ReplayOptions.model_validate(
        {
            "eventIds": ["e-1"],
            "reason": "rejected",
            "error": "-",
            "olderThanS": 60,
            "maxReplays": 2,
            "limit": 5,
            "rate": 0.5,
        }
    )

    plan, request = options.plan(), options.request("subtitle", asked_by="ada")

    assert plan.selection == Selection("rejected", "-", None, 60.0, 2, frozenset({"e-1"}))
    assert (plan.limit, plan.rate) == (request.limit, request.rate) == (5, 0.5)
    assert (request.event_ids, request.reason, request.error, request.asked_by) == (("e-1",), "rejected", "-", "ada")
    assert (request.older_than_s, request.max_replays, request.dry_run) == (60.0, 2, False)


def test_nothing_given_means_all_of_them() -> None:
    assert ReplayOptions().plan().selection == Selection()


@pytest.mark.parametrize(
    "wrong",
    [
        {"eventIds": []},  # a page whose selection is empty does not mean everything
        {"eventIds": ["e"] * 501},
        {"eventIds": [""]},
        {"reason": "tired"},
        {"rate": 0},
        {"rate": "inf"},
        {"limit": 0},
        {"maxReplays": -1},
        {"olderThanS": -1},
        {"purge": True},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ReplayOptions.model_validate(wrong)
