"""A replay's request becomes the replayer's options, and comes back from JSON."""

import json

import pytest

from console.control.fleet_control import ControlRefused, ReplayRequest
from console.control.replay_words import MOST_EVENTS, replay_arguments, request_as_json, request_from_json

FULL = ReplayRequest(
    channel="subtitle",
    event_ids=("one", "two"),
    limit=5,
    reason="rejected",
    error="-",
    asset="--json",
    older_than_s=90.5,
    max_replays=0,
    rate=0.05,
    dry_run=True,
    asked_by="Ada",
)


def test_every_wish_is_one_word_so_that_no_value_becomes_an_option():
    assert replay_arguments(FULL) == (
        "--reason=rejected",
        "--error=-",
        "--asset=--json",
        "--limit=5",
        "--older-than=90.5s",
        "--max-replays=0",
        "--rate=0.05/s",
        "--dry-run",
        "--event=one",
        "--event=two",
    )
    assert replay_arguments(ReplayRequest("subtitle")) == ()


def test_the_replayer_understands_its_options(monkeypatch):
    from typer.testing import CliRunner

    from replayer import cli

    plans = []
    monkeypatch.setattr(cli, "configure_logging", lambda *_: None)  # of this process, which is the tests' own
    monkeypatch.setattr(cli, "_replay_for_programs", lambda broker, spec, plan, records: plans.append(plan) or 0)
    done = CliRunner().invoke(cli.app, ["--channel=subtitle", "--progress=json", *replay_arguments(FULL)])
    assert done.exit_code == 0, done.output
    (plan,) = plans
    chosen = plan.selection
    assert (plan.limit, plan.rate, plan.dry_run) == (5, 0.05, True)
    assert (chosen.reason, chosen.error, chosen.asset, chosen.older_than_s) == ("rejected", "-", "--json", 90.5)
    assert (chosen.max_replays, chosen.events) == (0, frozenset({"one", "two"}))


def test_a_request_survives_json_and_words_of_another_version():
    words = json.loads(json.dumps(request_as_json(FULL) | {"colour": "blue"}))
    assert request_from_json(words, "subtitle") == FULL
    assert request_as_json(ReplayRequest("subtitle")) == {"channel": "subtitle"}


@pytest.mark.parametrize(
    "wish",
    [
        {"limit": 0},
        {"max_replays": -1},
        {"older_than_s": -1.0},
        {"rate": 0.0},
        {"rate": float("nan")},
        {"event_ids": ("x",) * (MOST_EVENTS + 1)},
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_starts(wish):
    with pytest.raises(ControlRefused):
        replay_arguments(ReplayRequest("subtitle", **wish))
