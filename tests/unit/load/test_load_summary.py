"""What answers mean, what is counted, and what is said of it in the end."""

import json
import math

import pytest

from mediaflow_load.answers import Answer
from mediaflow_load.settings import BadSettings, LoadSettings, read_settings
from mediaflow_load.summary import Summary
from mediaflow_load.tally import Tally, percentile


def tally(*answers, **ends):
    counted = Tally()
    for each in answers:
        counted.count_answer(each)
    counted.ends.update(ends)
    return counted


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (202, "accepted"),
        (429, "shed"),
        (503, "unavailable"),
        (200, "refused"),
        (400, "refused"),
        (500, "refused"),
        (507, "refused"),
        (0, "error"),
    ],
)
def test_back_pressure_is_told_from_failures(status, outcome):
    assert Answer(status, 0.1).outcome == outcome


@pytest.mark.parametrize(
    ("retry_after", "wait_s"),
    [
        ("7", 7),
        ("0", 0),
        (None, 5),
        ("soon", 5),
        ("Tue, 01 Dec 2026 02:00:09 GMT", 9),
        ("Tue, 01 Dec 2026 01:00:00 GMT", 0),
    ],
)
def test_an_upload_comes_again_when_the_answer_says(retry_after, wait_s):
    assert Answer(429, 0.1, retry_after).wait_s(now=1_796_090_400.0) == wait_s


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [([5], 0.95, 5), ([1, 2], 0.5, 1), (range(1, 101), 0.95, 95), (range(100, 0, -1), 0.99, 99), ([1, 2, 3], 1.0, 3)],
)
def test_percentiles_are_values_that_were_seen(values, share, found):
    assert percentile(list(values), share) == found


def test_the_percentile_of_nothing_is_no_number():
    assert math.isnan(percentile([], 0.95))


def test_the_top_rate_is_that_of_the_busiest_seconds():
    counted = Tally()
    for second, sent in enumerate((10, 50, 100, 100, 100, 100, 100, 30)):
        for _ in range(sent):
            counted.count_sent(second + 0.5, 0.0)
    assert counted.peak_rate() == 100


def test_the_summary_counts_back_pressure_apart_and_judges_uploads():
    counted = tally(
        *(Answer(202, each / 1000) for each in range(1, 101)),
        Answer(429, 0.001, "1"),
        Answer(503, 0.001, "1"),
        Answer(500, 0.2, None, "Something went wrong here"),
        accepted=100,
        failed=1,
    )
    summary = Summary(LoadSettings(requests=101, max_failures=0.02, max_p95_ms=70), counted, 10.0)
    told = summary.as_json()
    assert told["requests"] == {
        "total": 103,
        "accepted": 100,
        "shed": 1,
        "unavailable": 1,
        "refused": 1,
        "error": 0,
    }
    assert told["uploads"] == {"wanted": 101, "ended": 101, "accepted": 100, "failed": 1, "given_up": 0}
    assert told["response_ms"] == {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}
    assert told["troubles"] == {"500 Something went wrong here": 1}
    held = {each["name"]: each["held"] for each in told["thresholds"]}
    assert held == {"max_failures": True, "max_p95_ms": False}
    assert told["passed"] is False
    text = summary.as_text()
    assert "p50 50.0 ms · p95 95.0 ms · p99 99.0 ms" in text
    assert "pushed back 2 (429: 1, 503: 1) · failures 1 of 103 requests" in text
    assert "max_p95_ms 70: 95 — MISSED" in text
    json.dumps(told, allow_nan=False)


def test_uploads_that_were_given_up_are_failures_of_the_run():
    assert not Summary(LoadSettings(), tally(accepted=99, given_up=1), 1.0).passed
    assert Summary(LoadSettings(max_failures=0.01), tally(accepted=99, given_up=1), 1.0).passed


def test_a_run_in_which_nothing_ended_did_not_pass():
    summary = Summary(LoadSettings(max_p95_ms=100), Tally(), 0.0)
    assert not summary.passed
    json.dumps(summary.as_json(), allow_nan=False)
    assert "p95 —" in summary.as_text()


def test_requests_that_were_sent_late_are_told():
    counted = tally(Answer(202, 0.1), accepted=1)
    counted.count_sent(0.0, 2.5)
    assert "sent late  p95 2,500.0 ms" in Summary(LoadSettings(), counted, 1.0).as_text()


@pytest.mark.parametrize(
    ("name", "value"),
    [("RATE", "0"), ("REQUESTS", "many"), ("HOST", "localhost"), ("CLIPS", "/nowhere"), ("RATES", "1")],
)
def test_a_bad_setting_is_named(monkeypatch, name, value):
    monkeypatch.setenv(f"MEDIAFLOW_LOAD_{name}", value)
    with pytest.raises(BadSettings, match=f"^MEDIAFLOW_LOAD_{name}: "):
        read_settings()
