"""The admin API of workers and queues: what is asked, what is answered, and what is written down."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from console.app import create_app
from console.assets.ingest_errors import IngestRefused, IngestUnavailable
from console.control.fleet_control import ControlRefused, ControlUnavailable, UnknownChannel
from console.fleet.actions import ACTIONS, FleetActions
from fleet_looks import StubControl, channel, look


class StubIngest:
    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.bursts: list[int] = []

    def capabilities(self) -> dict[str, Any]:
        if self.failure:
            raise self.failure
        return {"simulated": True, "maxBurst": 5000}

    def burst(self, count: int, owner_id: str = "") -> dict[str, Any]:
        self.bursts.append(count)
        if self.failure:
            raise self.failure
        return {"accepted": count}


@pytest.fixture
def control():
    return StubControl()


@pytest.fixture
def ingest():
    return StubIngest()


@pytest.fixture
def runtime(make_runtime, control, ingest):
    runtime = make_runtime()
    runtime.lookout.actions = FleetActions(control, runtime.audit)
    return replace(runtime, control=control, ingest=ingest)


@pytest.fixture
def client(runtime):
    return create_app(runtime).test_client()


@pytest.mark.parametrize(
    ("path", "body", "asked", "action", "name", "detail"),
    [
        ("/admin/workers/pause", {}, ("pause", None), "pause", None, ""),
        ("/admin/workers/pause", {"channel": "transcode"}, ("pause", "transcode"), "pause", "transcode", ""),
        ("/admin/workers/resume", {}, ("resume", None), "resume", None, ""),
        ("/admin/workers/resume", {"channel": None}, ("resume", None), "resume", None, ""),
        ("/admin/workers/transcode/scale", {"count": 5}, ("scale", "transcode", 5), "scale", "transcode", "5"),
        ("/admin/workers/transcode/scale", {"count": 0}, ("scale", "transcode", 0), "scale", "transcode", "0"),
    ],
)
def test_what_is_asked_is_done_and_written_down(client, control, runtime, path, body, asked, action, name, detail):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    assert control.asked == [asked]
    assert (answer.json["action"], answer.json["channel"], answer.json["detail"]) == (action, name, detail)
    (entry,) = runtime.audit.last(actions=ACTIONS)
    assert (entry.action, entry.channel, entry.detail, entry.outcome) == (action, name or "", detail, "done")
    assert entry.who == answer.json["who"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/admin/workers/pause", {"chanel": "transcode"}, 422),
        ("/admin/workers/pause", {"channel": ""}, 422),
        ("/admin/workers/transcode/scale", {}, 422),
        ("/admin/workers/transcode/scale", {"count": -1}, 422),
        ("/admin/workers/transcode/scale", {"count": 1001}, 422),
        ("/admin/workers/transcode/scale", {"count": "many"}, 422),
        ("/admin/burst", {"count": 0}, 422),
    ],
)
def test_what_makes_no_sense_is_not_done(client, control, ingest, path, body, status):
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert answer.content_type == "application/problem+json"
    assert control.asked == ingest.bursts == []


@pytest.mark.parametrize(
    ("failure", "status", "kind"),
    [
        (UnknownChannel("no channel x; there are: transcode"), 404, "channel-not-found"),
        (ControlRefused("at most 16"), 409, "refused"),
        (ControlUnavailable("start it with make up"), 503, "fleet-unavailable"),
    ],
)
def test_what_fails_is_a_problem_that_says_why_and_is_written_down_too(client, control, runtime, failure, status, kind):
    control.failure = failure
    answer = client.post("/admin/workers/pause", json={})
    assert answer.status_code == status
    assert answer.json["type"] == f"urn:mediaflow:problem:{kind}"
    assert str(failure) in answer.json["detail"]
    assert str(failure) in runtime.audit.last(actions=ACTIONS)[0].outcome


def test_bursts_are_sent_where_they_are_allowed(client, ingest, runtime):
    assert client.get("/admin/burst").json == {"allowed": True, "most": 5000, "reason": ""}
    assert client.post("/admin/burst", json={"count": 300}).status_code == 200
    assert ingest.bursts == [300]
    assert runtime.audit.last(actions=ACTIONS)[0].detail == "300"


def test_a_burst_that_ingest_refuses_is_refused_with_its_own_words(client, ingest):
    ingest.failure = IngestRefused(429, "over-capacity", "come later", retry_after_s=7, members={"title": "Full"})
    answer = client.post("/admin/burst", json={"count": 300})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    assert (answer.json["detail"], answer.json["title"]) == ("come later", "Full")


def test_an_ingest_that_is_away_allows_no_bursts(client, ingest):
    ingest.failure = IngestUnavailable("connection refused")
    assert client.get("/admin/burst").json["allowed"] is False
    assert client.post("/admin/burst", json={"count": 1}).status_code == 503


def test_programs_read_what_the_page_shows(client, runtime):
    assert client.get("/admin/queues").status_code == 503
    runtime.lookout.feed.publish(
        look(1, 1000.0, channel(ready=3, drain_s=float("inf")), channel(name="b", drain_s=None))
    )
    queues = {each["name"]: each for each in client.get("/admin/queues").json["queues"]}
    assert queues["transcode"]["ready"] == 3
    assert (queues["transcode"]["drain"], queues["b"]["drain"]) == ("never", None)
    runtime.lookout.feed.publish(look(2, 1001.0, broker=False))
    refused = client.get("/admin/queues")
    assert (refused.status_code, refused.json["detail"]) == (503, "gone")


def test_the_page_is_there_before_the_first_look(client):
    page = client.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "first-look" not in page.text


def test_the_page_says_who_acted_last_from_the_first_moment(client, runtime):
    runtime.lookout.feed.publish(look())
    client.post("/admin/workers/pause", json={})
    page = client.get("/", headers={"Accept": "text/html"}).text
    first = json.loads(re.search(r'id="first-look">(.*?)</script>', page)[1])
    assert first["actions"][0]["action"] == "pause"
    assert first["channels"][0]["name"] == "transcode"


def test_the_feed_has_room_for_so_many(client, make_runtime):
    runtime = make_runtime(viewers=1)
    runtime.lookout.feed.publish(look())
    client = create_app(runtime).test_client()
    assert client.head("/fleet/events").status_code == 200
    stream = runtime.lookout.feed.stream()
    assert client.head("/fleet/events").status_code == 503
    refused = client.get("/fleet/events")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "10")
    stream.close()
    assert client.head("/fleet/events").status_code == 200
