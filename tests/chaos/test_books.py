"""What the load generator and the workers wrote down, read back."""

from pathlib import Path
from typing import Any

import pytest
from mediaflow_chaos.append_log import AppendLog, lines_of
from mediaflow_chaos.checker import ChannelAccount
from mediaflow_chaos.evidence import observed_in, outbox_in, results_in
from mediaflow_chaos.report import Report
from mediaflow_chaos.uploads import Verdict, uploads_of


def sent(**more: Any) -> dict[str, Any]:
    return {"what": "sent", "asset": "a", "file": False, **more}


def answered(status: int, event: str | None = None, problem: str = "") -> dict[str, Any]:
    return {"what": "answered", "asset": "a", "status": status, "event": event, "problem": problem}


UNANSWERED = {"what": "unanswered", "asset": "a", "error": "ConnectionResetError"}


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([sent(), answered(202, "e")], Verdict.ACCEPTED),
        ([sent(), UNANSWERED], Verdict.OPEN),
        ([sent()], Verdict.OPEN),
        ([sent(), answered(503, None, "not-confirmed")], Verdict.OPEN),
        ([sent(), answered(503, None, "broker-unavailable")], Verdict.REFUSED),
        ([sent(), answered(422)], Verdict.REFUSED),
        ([sent(), answered(503, None, "broker-unavailable"), sent(), UNANSWERED], Verdict.OPEN),
        ([sent(), UNANSWERED, sent(), answered(503, None, "broker-unavailable")], Verdict.OPEN),
        ([sent(), UNANSWERED, sent(), answered(202, "e")], Verdict.ACCEPTED),
        ([sent(), answered(202, "e"), sent(), UNANSWERED], Verdict.ACCEPTED),
    ],
)
def test_the_answers_of_an_upload_say_what_its_client_may_rely_on(
    lines: list[dict[str, Any]], verdict: Verdict
) -> None:
    assert uploads_of(lines)["a"].verdict is verdict


def test_two_events_for_one_upload_are_an_error_of_the_door() -> None:
    with pytest.raises(ValueError, match="accepted as event"):
        uploads_of([sent(), answered(202, "e1"), sent(), answered(202, "e2")])


def test_lines_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    log = AppendLog(tmp_path / "log", durable=True)
    log.add(what="sent", asset="ä")
    log.add(what="answered", asset="ä")
    log.close()

    assert list(lines_of(tmp_path / "log")) == [{"what": "sent", "asset": "ä"}, {"what": "answered", "asset": "ä"}]


def test_a_torn_line_is_an_error_and_not_skipped(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b'{"what": "sent"}\n{"wh')

    with pytest.raises(ValueError, match="line 2"):
        list(lines_of(tmp_path / "log"))


def test_commits_and_deliveries_are_counted_by_asset() -> None:
    def line(what: str, asset: str, pid: int = 1, channel: str = "thumbnail") -> dict[str, Any]:
        return {"what": what, "asset": asset, "channel": channel, "event": f"e-{asset}", "pid": pid}

    commits, deliveries = observed_in(
        [
            line("delivered", "a"),
            line("delivered", "a", 2),
            line("committing", "a"),
            line("committing", "a", 2),
            line("committed", "a"),
            line("was committed", "a", 2),
            line("delivered", "b"),
            line("committing", "b"),
            line("delivered", "c", channel="subtitle"),
        ],
        "thumbnail",
    )

    assert deliveries == {"a": 2, "b": 1}
    assert (commits["a"].made, commits["a"].unfinished, commits["a"].events) == (1, 0, {"e-a"})
    assert (commits["b"].made, commits["b"].unfinished) == (0, 1)
    assert set(commits) == {"a", "b"}


def test_results_are_found_in_the_store_by_asset(tmp_path: Path) -> None:
    for asset, text in (("a", '{"eventId": "e-a"}'), ("b", "{torn")):
        path = tmp_path / "assets" / asset / "thumbnail" / "result.json"
        path.parent.mkdir(parents=True)
        path.write_text(text)

    assert results_in(tmp_path, "thumbnail") == {"a": "e-a", "b": ""}
    assert results_in(tmp_path, "transcode") == {}


def test_what_waits_in_the_outbox_is_found(tmp_path: Path) -> None:
    for folder, asset in (("outbox", "a"), ("intents", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "e.json").write_text(f'{{"event": {{"assetId": "{asset}", "eventId": "e"}}}}')
    (tmp_path / "outbox" / "torn.json").write_text("{")

    assert sorted(message.asset_id for message in outbox_in(tmp_path)) == ["? (torn.json)", "a", "b"]


def test_the_exit_code_tells_kept_broken_and_unchecked_apart() -> None:
    def report(**more: Any) -> Report:
        return Report(1, 1.0, {}, {}, [], **more)

    assert report(accounts=[ChannelAccount("thumbnail")]).exit_code == 0
    assert report(accounts=[ChannelAccount("thumbnail", stuck=1)]).exit_code == 1
    assert report(could_not_check="the queues can't be read").exit_code == 3
    assert not report().holds
