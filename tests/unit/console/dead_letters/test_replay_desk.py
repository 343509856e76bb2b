from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from threading import Barrier, Thread
from typing import Any

import pytest
from flask import Flask

from console.app import create_app
from console.control.fleet_control import FleetView, ReplayRequest, ReplayRun, UnknownReplay
from console.dead_letters.options import ReplayOptions
from console.problems import Problem
from console.runtime import Runtime

ALL = ReplayOptions()


class OneFleet:
    """Runs replays that take as long as the test wants."""

    kind = "local"

    def __init__(self) -> None:
        self.runs: list[ReplayRun] = []

    def fleet(self) -> FleetView:
        return FleetView({})

    def learn(self, readings: object) -> None:
        pass

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        run = ReplayRun(f"r-{len(self.runs) + 1}", request, "running", datetime.now(UTC), None, 3, 2, 8, 10)
        self.runs.insert(0, run)
        return run

    def replays(self) -> tuple[ReplayRun, ...]:
        return tuple(self.runs)

    def replay(self, run_id: str) -> ReplayRun:
        for run in self.runs:
            if run.id == run_id:
                return run
        raise UnknownReplay(f"there is no replay {run_id}")

    def stop_replay(self, run_id: str) -> None:
        self.runs = [replace(run, state="stopping") if run.id == run_id else run for run in self.runs]

    def end(self) -> None:
        self.runs = [replace(run, state="done", ended_at=datetime.now(UTC)) for run in self.runs]


@pytest.fixture
def fleet() -> OneFleet:
    return OneFleet()


@pytest.fixture
def runtime(make_runtime: Callable[..., Runtime], fleet: OneFleet) -> Runtime:
    return make_runtime(control=fleet)


@pytest.fixture
def console(runtime: Runtime) -> Flask:
    return create_app(runtime)


def ask(console: Flask, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    with console.test_client() as client:
        return client.open(
            path, method=method, json={} if body is None and method != "GET" else body, base_url="http://localhost"
        )


def audit(runtime: Runtime) -> list[tuple[str, str, str]]:
    return [(each.action, each.channel, each.outcome) for each in reversed(runtime.audit.last())]


def test_a_second_replay_of_a_channel_is_refused_and_told_who_runs_the_first(runtime: Runtime, fleet: OneFleet) -> None:
    desk = runtime.dead_letters.desk
    first = desk.start("subtitle", ALL, who="ada")

    with pytest.raises(Problem) as refused:
        desk.start("subtitle", ALL, who="grace")
    other = desk.start("transcode", ALL, who="grace")

    assert refused.value.kind.status == 409
    assert refused.value.members["run"]["id"] == first.id
    assert other.request.channel == "transcode"
    assert audit(runtime) == [
        ("replay", "subtitle", "started"),
        ("replay", "subtitle", f"refused: {first.id} runs"),
        ("replay", "transcode", "started"),
    ]


def test_of_two_at_the_same_moment_one_starts(runtime: Runtime, fleet: OneFleet) -> None:
    both, refused = Barrier(2), []

    def start() -> None:
        both.wait()
        try:
            runtime.dead_letters.desk.start("subtitle", ALL, who="x")
        except Problem as problem:
            refused.append(problem)

    threads = [Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(fleet.runs), len(refused)) == (1, 1)


def test_a_replay_that_has_ended_lets_the_next_one_start(runtime: Runtime, fleet: OneFleet) -> None:
    runtime.dead_letters.desk.start("subtitle", ALL, who="ada")
    fleet.end()

    assert runtime.dead_letters.desk.start("subtitle", ALL, who="grace").id == "r-2"


def test_programs_start_watch_and_stop_a_replay(console: Flask, runtime: Runtime) -> None:
    started = ask(console, "POST", "/admin/dlq/subtitle/replay", {"reason": "rejected", "rate": 5})
    address = started.headers["Location"]
    watched = ask(console, "GET", address).json
    stopped = ask(console, "DELETE", address)

    assert (started.status_code, stopped.status_code) == (202, 202)
    assert (watched["state"], watched["moved"], watched["left"], watched["total"]) == ("running", 2, 8, 10)
    assert (watched["options"]["reason"], watched["options"]["rate"]) == ("rejected", 5)
    assert stopped.json["state"] == "stopping"
    assert [action for action, _, _ in audit(runtime)] == ["replay", "stop_replay"]


def test_the_overview_tells_of_all_channels_and_their_replays(console: Flask, runtime: Runtime) -> None:
    runtime.dead_letters.desk.start("subtitle", ALL, who="ada")

    told = ask(console, "GET", "/admin/dlq").json

    assert [each["channel"] for each in told["channels"]] == ["thumbnail", "transcode", "subtitle"]
    assert [each["run"] and each["run"]["askedBy"] for each in told["channels"]] == [None, None, "ada"]
    assert told["replays"] == {"possible": True, "reason": None}


def test_a_fleet_that_nobody_runs_says_that_nothing_can_be_put_back(make_console: Callable[..., Flask]) -> None:
    told = ask(make_console(), "GET", "/admin/dlq").json

    assert told["replays"]["possible"] is False
    assert told["replays"]["reason"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/admin/dlq/subtitel/replay", {}, 404),
        ("POST", "/admin/dlq/subtitle/replay", {"eventIds": []}, 422),
        ("POST", "/admin/dlq/subtitle/replay", {"purge": True}, 422),
        ("GET", "/admin/dlq/subtitle/replay/none", None, 404),
        ("DELETE", "/admin/dlq/subtitle", None, 405),
        ("DELETE", "/admin/dlq/subtitle/letters/1", None, 405),
        ("GET", "/admin/dlq/nothing", None, 404),
    ],
)
def test_what_is_not_there_or_makes_no_sense_is_refused(
    console: Flask, method: str, path: str, body: dict[str, Any] | None, status: int
) -> None:
    assert ask(console, method, path, body).status_code == status
