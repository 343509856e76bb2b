import threading
from collections.abc import Iterator, Sequence

import pika
import pytest

from mq_common import dead_letter_records
from mq_common.dead_letter_records import BATCH, RecordsUnavailable, Stage
from mq_common.dead_letters import DeadLetter, GaveUp

LETTERS = [DeadLetter.read(tag, pika.BasicProperties(), b"{") for tag in range(1, 3 * BATCH)]


class Somewhere:
    def __init__(self, *, near: bool) -> None:
        self.near = near

    def find(self, letters: Sequence[DeadLetter]) -> Sequence[GaveUp | None]:
        raise NotImplementedError

    def replayed(self, letters: Sequence[DeadLetter]) -> None:
        raise NotImplementedError


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(Somewhere(near=True))
    yield stage
    stage.close()


def threads_of(stage: Stage, letters: list[DeadLetter]) -> set[threading.Thread]:
    """The threads in which the letters were worked on."""
    used: set[threading.Thread] = set()
    stage.put(letters, lambda _: used.add(threading.current_thread()))
    left = len(letters)
    while left:
        left -= sum(len(batch) for batch, _ in stage.done())
    return used


def test_near_records_are_dealt_with_at_once_and_in_order(stage: Stage) -> None:
    seen: list[int] = []
    stage.put(LETTERS, lambda letters: seen.extend(letter.tag for letter in letters))

    assert seen == [letter.tag for letter in LETTERS]
    assert [letter for batch, _ in stage.done() for letter in batch] == LETTERS


def test_far_records_have_threads_of_their_own() -> None:
    stage = Stage(Somewhere(near=False))

    assert threading.current_thread() not in threads_of(stage, LETTERS)
    stage.close()


def test_records_that_turn_out_to_be_slow_get_threads_from_then_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert threads_of(stage, LETTERS) == {threading.current_thread()}
    monkeypatch.setattr(dead_letter_records, "_NEAR_S", 0.0)
    assert threads_of(stage, LETTERS[:1]) == {threading.current_thread()}
    assert threading.current_thread() not in threads_of(stage, LETTERS)


def test_an_error_of_near_records_is_found_with_its_batch(stage: Stage) -> None:
    def fail(_: list[DeadLetter]) -> None:
        raise RecordsUnavailable("away")

    stage.put(LETTERS[:1], fail)

    ((batch, future),) = stage.done()
    assert batch == LETTERS[:1]
    assert isinstance(future.exception(), RecordsUnavailable)
