"""What is typed and what is said."""

import doctest

import pytest

from console.planner import quantities
from console.planner.plan import plan
from console.planner.quantities import parse_share
from console.planner.question import Question
from console.planner.told import sentences
from console.planner.wire import plan_json
from local_fleet.planner_run import planner_command, planner_environment
from mq_common.quantities import parse_duration, parse_rate


def test_the_examples_hold():
    assert doctest.testmod(quantities).failed == 0


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60), ("500ms", 0.5), ("5m", 300), ("5min", 300), ("1h30m", 5400)]
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("read", [parse_duration, parse_rate, parse_share])
@pytest.mark.parametrize("text", ["", "x", "3/x", "-1s", "200%", "1e9"])
def test_what_can_not_be_read_is_refused(read, text):
    with pytest.raises(ValueError, match="write it like"):
        read(text)


def test_a_plan_in_words_says_how_long_and_what_it_costs(channel):
    said = " ".join(sentences(plan(channel(ready=590, unacked=10), Question(recommend=False, seeds=2))))
    assert said.startswith("The backlog of 600 is gone in 3")
    assert "worker-hours" in said
    grows = sentences(plan(channel(), Question(arrival_per_s=30, horizon_s=60, recommend=False, seeds=1)))[0]
    assert grows == "All workers together finish 20/s, 30/s arrive: the queue grows by 10/s for ever."


def test_a_plan_as_json_has_columns_for_charts_and_names_without_units(channel):
    said = plan_json(plan(channel(ready=50), Question(lag_s=30, seeds=2)))
    points = said["forecast"]["points"]
    assert len(points["at"]) == len(points["ready"]) == len(points["lag"]) == len(said["forecast"]["readyHigh"])
    assert said["basis"]["job"] == {"value": 2.0, "source": "measured", "samples": 500, "over": 900}
    assert said["choices"]["best"]["peakLag"]["median"] <= 30
    assert said["choices"]["asIs"]["keeps"] is True


def test_the_command_asks_the_fleets_console_and_works_without_a_fleet():
    status = {
        "console": "http://localhost:8090",
        "broker": {"amqp_url": "amqp://u:p@b/", "management_url": "http://u:p@b:15672"},
        "store_url": "file:///media",
    }
    assert planner_command(status, ["--channel", "x"])[-3:] == ["--console=http://localhost:8090", "--channel", "x"]
    assert planner_environment({"A": "1"}, status)["MEDIAFLOW_MANAGEMENT_URL"] == "http://u:p@b:15672"
    assert planner_command(None, ["--channel", "x"])[-3:] == ["console.planner", "--channel", "x"]
    assert planner_environment({"A": "1"}, None) == {"A": "1"}
