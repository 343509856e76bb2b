"""The page and its addresses, without a browser."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from console.simulator.frames import FIELDS
from console.simulator.presets import PRESETS


@pytest.fixture
def client(make_console: Callable[..., Flask]) -> FlaskClient:
    return make_console(simulations=2).test_client()


def begin(client: FlaskClient, **body: object):
    return client.post("/simulator/runs", json=body)


@pytest.mark.parametrize("name", PRESETS)
def test_the_page_opens_with_each_preset_chosen(client: FlaskClient, name: str) -> None:
    page = client.get(f"/simulator?preset={name}").get_data(as_text=True)

    assert f'data-preset="{name}" aria-pressed="true"' in page
    assert page.count('aria-pressed="true"') >= 1


def test_an_unknown_preset_in_the_address_is_the_first_one(client: FlaskClient) -> None:
    assert 'data-preset="keeping-up" aria-pressed="true"' in client.get("/simulator?preset=x").get_data(as_text=True)


def test_a_preset_is_begun_and_goes_on(client: FlaskClient) -> None:
    begun = begin(client, preset="keda", seed=7)
    assert begun.status_code == 201
    assert begun.json["controls"]["scaling"] == "keda"
    assert len(begun.json["frame"][0]) == len(begun.json["fields"]) == len(FIELDS)

    went = client.post(f"/simulator/runs/{begun.json['id']}/advance", json={"seconds": 1, "frames": 4})

    assert went.status_code == 200
    assert len(went.json["frames"]) == 4
    assert went.json["steps"]


def test_a_simulation_that_ended_is_said_to_have(client: FlaskClient) -> None:
    key = begin(client).json["id"]
    assert client.delete(f"/simulator/runs/{key}", json={}).status_code == 204

    gone = client.post(f"/simulator/runs/{key}/advance", json={"seconds": 1})

    assert gone.status_code == 404
    assert gone.json["type"].endswith("simulation-ended")


def test_more_simulations_than_there_are_places_are_asked_to_come_again(client: FlaskClient) -> None:
    assert [begin(client).status_code for _ in range(3)] == [201, 201, 503]
    assert begin(client).headers["Retry-After"]


@pytest.mark.parametrize(
    "wrong", [{"seconds": 0}, {"seconds": 21}, {"seconds": 1, "frames": 1000}, {"seconds": 1, "actions": ["explode"]}]
)
def test_what_no_page_asks_for_is_refused(client: FlaskClient, wrong: dict) -> None:
    key = begin(client).json["id"]

    assert client.post(f"/simulator/runs/{key}/advance", json=wrong).status_code == 422


def test_one_that_asks_for_too_much_is_slowed(client: FlaskClient) -> None:
    key = begin(client).json["id"]
    answers = [client.post(f"/simulator/runs/{key}/advance", json={"seconds": 20, "frames": 1}) for _ in range(5)]

    assert {answer.status_code for answer in answers} == {200, 429}
