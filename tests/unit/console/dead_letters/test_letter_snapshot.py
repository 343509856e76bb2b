from collections.abc import Sequence

import pytest

from console.dead_letters import snapshot as module
from console.dead_letters.letter_row import KEPT_BODY_BYTES
from console.dead_letters.snapshot import Choice, Snapshot
from letter_rows import damaged, letter
from mq_common.dead_letters import DeadLetter


def looked_at(letters: Sequence[DeadLetter]) -> Snapshot:
    snapshot = Snapshot("subtitle")
    snapshot.depth = len(letters)
    for each in letters:
        snapshot.add(each)
    snapshot.finish()
    return snapshot


MIXED = [
    letter("clip-1"),
    letter("clip-2", error="BadMedia", replays=2),
    letter("heavy-1", "delivery_limit", "WorkerLost"),
    letter("nobody-knows", error=None),
    letter(body=b"no event", message_id="m-7"),
    damaged(),
]


def test_what_a_look_found_comes_out_as_it_went_in() -> None:
    rows, total = looked_at(MIXED).page(Choice(), 0, 10)

    assert total == len(MIXED)
    assert [row.n for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row.event_id for row in rows] == ["e-clip-1", "e-clip-2", "e-heavy-1", "e-nobody-knows", "m-7", None]
    assert [row.error for row in rows] == [
        "TransientError",
        "BadMedia",
        "WorkerLost",
        None,
        "InvalidEvent",
        "InvalidEvent",
    ]
    assert [row.history for row in rows[:5]] == [each.history for each in MIXED[:5]]
    assert [row.intact for row in rows] == [True, True, True, True, True, False]
    assert (rows[0].message, rows[0].attempts, rows[0].worker) == ("clip-1 went wrong", 3, "subtitle-1")


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        (Choice(), [1, 2, 3, 4, 5, 6]),
        (Choice(reason="rejected"), [1, 2, 4, 5]),
        (Choice(reason="delivery_limit", error="WorkerLost"), [3]),
        (Choice(error="BadMedia"), [2]),
        (Choice(error="-"), [4]),
        (Choice(text="CLIP"), [1, 2]),
        (Choice(text="ada", error="BadMedia"), [2]),
        (Choice(text="clip-1 went"), [1]),
        (Choice(text="%' OR 1=1 --"), []),
        (Choice(text="_"), []),
    ],
)
def test_a_list_shows_what_is_chosen_and_pages_through_it(choice: Choice, found: list[int]) -> None:
    snapshot = looked_at(MIXED)

    pages = [snapshot.page(choice, offset, 2) for offset in range(0, 8, 2)]

    assert [row.n for rows, _ in pages for row in rows] == found
    assert {total for _, total in pages} == {len(found)}


def test_a_letter_knows_its_neighbours_among_those_that_are_shown() -> None:
    snapshot = looked_at(MIXED)

    assert snapshot.neighbours(1, Choice()) == (None, 2)
    assert snapshot.neighbours(2, Choice(reason="rejected")) == (1, 4)
    assert snapshot.neighbours(5, Choice(reason="rejected")) == (4, None)


def test_copies_of_an_event_are_counted_and_the_first_is_found() -> None:
    snapshot = looked_at([letter("a"), letter("b"), letter("b")])

    found = snapshot.find("e-b")

    assert found is not None
    assert (found.n, snapshot.copies("e-b"), snapshot.find("e-c")) == (2, 2, None)


def test_a_long_body_is_kept_in_part_with_its_size() -> None:
    snapshot = looked_at([letter(body=b"x" * 200_000)])

    row, message = snapshot.letter(1), snapshot.message(1)

    assert row is not None
    assert message is not None
    assert (row.size, len(message.body)) == (200_000, KEPT_BODY_BYTES)


def test_groups_count_what_the_list_has_no_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 700)

    snapshot = looked_at([letter(f"a-{number}") for number in range(1200)])

    assert (snapshot.listed, snapshot.seen, snapshot.groups[0].count) == (700, 1200, 1200)
    assert snapshot.is_complete


def test_messages_beyond_the_room_there_is_are_listed_without_their_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)

    snapshot = looked_at([letter(body=b"x" * 60_000) for _ in range(3)])

    assert snapshot.listed == 3
    assert [snapshot.message(n) is not None for n in (1, 2, 3)] == [True, False, False]


def test_all_letters_come_one_by_one_in_their_order() -> None:
    assert [row.n for row in looked_at([letter() for _ in range(2500)]).each()] == list(range(1, 2501))
