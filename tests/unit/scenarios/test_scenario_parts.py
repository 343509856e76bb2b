"""The parts of the scenarios that decide: verdicts, tables, samples, the search for channels' names in code."""

import io
import re
import sys
from pathlib import Path

import pytest
from mediaflow_scenarios.catalogue import SCENARIOS
from mediaflow_scenarios.one_upload import channels_named_in
from mediaflow_scenarios.page import Page
from mediaflow_scenarios.patience import TookTooLong, until
from mediaflow_scenarios.requeue_storm import FLAT, STORM_REDELIVERED, WITHOUT_WORK_REDELIVERED
from mediaflow_scenarios.scrape import Samples
from mediaflow_scenarios.sizes import FULL
from mediaflow_scenarios.verdict import Criterion, Verdict

ALERTS = ("MediaflowRequeueStorm", "MediaflowRedeliveriesWithoutWork")


def test_a_verdict_passes_when_every_criterion_holds_and_says_first_what_does_not():
    verdict = Verdict("3", "flaky", [Criterion("all are done", True, "9 of 9"), Criterion("DLQs are empty", True)])
    assert verdict.passed
    assert verdict.line() == "PASS  3  flaky: all are done (9 of 9); DLQs are empty"

    verdict.criteria.append(Criterion("one publish", False, "2"))
    assert not verdict.passed
    assert verdict.line().startswith("FAIL  3  flaky: NOT: one publish (2); all are done")


@pytest.mark.parametrize(
    "verdict", [Verdict("1", "x"), Verdict("1", "x", [Criterion("a", True)], error="it broke off")]
)
def test_a_scenario_that_judged_nothing_or_broke_off_has_not_passed(verdict):
    assert not verdict.passed
    assert verdict.line().startswith("FAIL")
    assert verdict.as_json()["passed"] is False


def test_tables_are_as_wide_as_their_widest_cells():
    out = io.StringIO()
    Page(out).table(("name", "messages"), [("media.thumbnail", 0), ("media.x", 12345678)])
    assert out.getvalue() == "name             messages\nmedia.thumbnail  0\nmedia.x          12345678\n"


def test_samples_are_summed_by_name_and_labels():
    text = """# TYPE jobs_total counter
jobs_total{channel="a",outcome="done"} 2
jobs_total{channel="a",outcome="rejected"} 3
jobs_total{channel="b",outcome="done"} 5
"""
    samples = Samples(text)
    assert samples.total("jobs_total") == 10
    assert samples.total("jobs_total", channel="a") == 5
    assert samples.total("jobs_total", channel="b", outcome="rejected") == 0


def test_a_channels_name_in_code_is_found_and_in_prose_is_not(tmp_path, monkeypatch):
    package = tmp_path / "door_of_old"
    package.mkdir()
    (package / "__init__.py").write_text('"""Uploads for thumbnail and transcode."""\n')
    (package / "publish.py").write_text('\nQUEUES = ["media.transcode", "subtitles"]\nOTHER = "thumbnail"\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "door_of_old", raising=False)
    assert channels_named_in("door_of_old", ["thumbnail", "transcode", "subtitle"]) == ["publish.py:2", "publish.py:3"]


def test_waiting_gives_up_with_the_name_of_what_did_not_come():
    assert until(lambda: 7, 0, "a number") == 7
    with pytest.raises(TookTooLong, match="the end did not come within 0 s"):
        until(lambda: False, 0, "the end")


def test_the_storm_is_judged_by_the_thresholds_of_the_alert_rules():
    rules = (Path(__file__).parents[3] / "charts" / "mediaflow" / "rules" / "alerts.yaml").read_text()
    storm, without_work = (rules.partition(f"alert: {name}")[2].partition("for:")[0] for name in ALERTS)
    assert re.findall(r"[<>] ([\d.]+)", storm) == [f"{STORM_REDELIVERED:g}", f"{FLAT:g}"]
    assert re.findall(r"[<>] ([\d.]+)", without_work) == [f"{WITHOUT_WORK_REDELIVERED:g}", f"{FLAT:g}"]


def test_all_seven_scenarios_are_there_with_the_articles_counts():
    assert list(SCENARIOS) == ["1", "1b", "2", "3", "4", "5", "6", "7"]
    assert (FULL.slow_burst, FULL.flaky_burst, FULL.paused_burst + FULL.paused_uploads) == (2000, 2000, 3000)
