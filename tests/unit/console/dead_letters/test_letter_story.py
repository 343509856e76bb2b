from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from console.dead_letters.letter_row import row_of, wire_of
from console.dead_letters.story import Moment, story_of
from letter_rows import letter
from mq_common.dead_letters import DeadLetter
from mq_common.message_contents import read_contents


@pytest.fixture(autouse=True)
def request_in_english(make_console: Callable[..., Flask]) -> Iterator[None]:
    with make_console().test_request_context(headers={"Accept-Language": "en"}):
        yield


def told(dead: DeadLetter) -> list[Moment]:
    wire = wire_of(dead)
    assert wire is not None
    return story_of(row_of(dead, 1), read_contents(wire).headers)


def test_the_way_of_a_letter_is_told_in_order() -> None:
    uploaded, gave_up, died = told(letter())

    assert (uploaded.title, gave_up.title, died.title) == (
        "Uploaded",
        "A worker gave up",
        "Moved to the dead-letter queue",
    )
    assert gave_up.text == "After 3 tries, on subtitle-1"
    assert "In media.subtitle, where it came through media.topic with the key media.all." in died.text


def test_earlier_replays_are_part_of_it() -> None:
    headers = {"replay-count": 2, "first-failed-at": "2026-02-28T22:10:00Z", "original-reason": "delivery_limit"}

    moments = told(letter(replays=2, headers=headers | {"replay-run": "r-9"}))

    assert [each.title for each in moments][1:3] == ["Died for the first time", "Put back 2 times"]
    assert "lost workers" in moments[1].text
    assert moments[2].text == "The last time by the run r-9."


@pytest.mark.parametrize(
    "deaths", ["no list", [], [7], [{"reason": 3, "routing-keys": "x", "time": "late", "count": "n"}]]
)
def test_whatever_a_stranger_wrote_as_deaths_there_is_a_story(deaths: object) -> None:
    assert told(letter(headers={"x-death": deaths}))
