"""The planner's part of the admin API, and the child processes that answer."""

import json
import threading

import pytest

from console.app import create_app
from console.planner.asker import Asker, Superseded
from console.planner.question import Question


@pytest.fixture
def client(make_runtime):
    return create_app(make_runtime()).test_client()


def test_figures_of_a_channel_and_no_others(client):
    figures = client.get("/admin/planner/transcode").get_json()
    assert figures["job"]["source"] in ("configured", "assumed")
    assert figures["rule"]["target"] >= 1
    assert "jobs" not in figures
    missing = client.get("/admin/planner/poster")
    assert (missing.status_code, missing.mimetype) == (404, "application/problem+json")
    assert "there are thumbnail" in missing.get_json()["detail"]


def test_a_question_is_answered(client):
    asked = {"arrival_per_s": 1, "job_s": 0.5, "follows": True, "seeds": 1, "horizon_s": 60}
    answer = client.post("/admin/planner/transcode", json=asked)
    assert answer.status_code == 200, answer.data
    assert answer.get_json()["basis"]["arrival"] == {"value": 1.0, "source": "given", "samples": 0, "over": 0.0}


@pytest.mark.parametrize("asked", [{"arrival_per_s": -1}, {"lag_s": 0}, {"nonsense": 1}, {"failing": 2}])
def test_a_question_that_makes_no_sense_names_the_field(client, asked):
    answer = client.post("/admin/planner/transcode", json=asked)
    assert answer.status_code == 422
    assert answer.get_json()["fields"][0]["field"] == next(iter(asked))


def test_a_newer_question_of_the_same_page_ends_the_older_one(channel):
    asker = Asker()
    long = Question(backlog=400_000, seeds=50)
    ends = []

    def ask() -> None:
        try:
            asker.ask(channel(), long, "page")
        except Superseded:
            ends.append("superseded")

    waiting = threading.Thread(target=ask)
    waiting.start()
    until_asking(asker)
    answer = asker.ask(channel(), Question(backlog=10, seeds=1, recommend=False), "page")
    waiting.join(20)
    assert ends == ["superseded"]
    assert json.loads(answer)["basis"]["backlog"] == 10
    assert not asker._asking


def test_closing_ends_what_is_being_answered(channel):
    asker = Asker()
    ends = []

    def ask() -> None:
        with pytest.raises(Superseded):
            asker.ask(channel(), Question(backlog=400_000, seeds=50), "page")
        ends.append(True)

    waiting = threading.Thread(target=ask)
    waiting.start()
    until_asking(asker)
    asker.close()
    waiting.join(20)
    assert ends == [True]


def until_asking(asker: Asker) -> None:
    moment = threading.Event()
    while not asker._asking:
        moment.wait(0.01)
