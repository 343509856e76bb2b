"""Room in the publisher's window."""

import threading
import time

from mq_common._room import Room


def test_with_room_nobody_waits_and_without_it_the_wait_is_bounded() -> None:
    occupied = 9
    room = Room(10, lambda: occupied)

    assert room.wait(0)
    occupied = 10
    started = time.monotonic()
    assert not room.wait(0.05)
    assert 0.04 < time.monotonic() - started < 5


class Waiter:
    """A thread that waits for room, and is waiting when the constructor returns."""

    def __init__(self, room: Room) -> None:
        self.got_room: list[bool] = []
        self.thread = threading.Thread(target=lambda: self.got_room.append(room.wait(20)))
        self.thread.start()
        while not room._waiting:
            time.sleep(0.001)

    def came_back(self, within_s: float) -> bool:
        self.thread.join(within_s)
        return self.got_room == [True]


def test_waiters_come_back_once_enough_room_was_made() -> None:
    occupied = 100
    room = Room(100, lambda: occupied)
    waiter = Waiter(room)

    occupied = 99
    room.made()
    assert not waiter.came_back(0.1)
    occupied = 75
    room.made()
    assert waiter.came_back(20)


def test_a_window_of_one_does_not_lock_itself_out() -> None:
    occupied = 1
    room = Room(1, lambda: occupied)
    waiter = Waiter(room)

    occupied = 0
    room.made()
    assert waiter.came_back(20)
