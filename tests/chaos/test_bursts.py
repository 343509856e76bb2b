"""Bursts in the books: each of their assets has to be accounted for by itself."""

from typing import Any

import pytest
from mediaflow_chaos.bursts import bursts_of, uploads_of_bursts
from mediaflow_chaos.uploads import Verdict, uploads_of

SENT = {"what": "sent", "burst": "o", "count": 3, "at": 5.0}
UNANSWERED = {"what": "unanswered", "burst": "o", "error": "TimeoutError"}
RECORDED = {"o": "burst-1"}
ASSETS = ["burst-1-000001", "burst-1-000002", "burst-1-000003"]


def answered(status: int, problem: str = "", burst_id: str | None = None) -> dict[str, Any]:
    return {"what": "answered", "burst": "o", "status": status, "problem": problem, "burst_id": burst_id}


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([SENT, answered(202, burst_id="burst-1")], Verdict.ACCEPTED),
        ([SENT, answered(503, "not-confirmed")], Verdict.OPEN),
        ([SENT, answered(503, "refused-by-broker")], Verdict.OPEN),
        ([SENT, UNANSWERED], Verdict.OPEN),
        ([SENT], Verdict.OPEN),
        ([SENT, answered(503, "broker-unavailable")], Verdict.REFUSED),
        ([SENT, answered(429, "back-pressure")], Verdict.REFUSED),
    ],
)
def test_every_asset_of_a_burst_is_what_the_answer_to_the_burst_says(
    lines: list[dict[str, Any]], verdict: Verdict
) -> None:
    uploads = uploads_of_bursts(bursts_of(lines, RECORDED))

    assert {asset: upload.verdict for asset, upload in uploads.items()} == dict.fromkeys(ASSETS, verdict)


def test_a_burst_that_never_came_to_be_has_no_assets() -> None:
    assert uploads_of_bursts(bursts_of([SENT, UNANSWERED], {})) == {}


@pytest.mark.parametrize("recorded", [{}, {"o": "burst-2"}])
def test_a_burst_that_was_accepted_and_is_not_on_record_is_an_error_of_the_door(recorded: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="the store knows"):
        bursts_of([SENT, answered(202, burst_id="burst-1")], recorded)


def test_bursts_and_single_uploads_share_a_book() -> None:
    single = {"what": "sent", "asset": "a", "file": False, "at": 1.0}

    assert set(uploads_of([SENT, single, UNANSWERED])) == {"a"}
    assert [burst.owner for burst in bursts_of([single, SENT], RECORDED)] == ["o"]
