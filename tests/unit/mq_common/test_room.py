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


def test_waiters_come_back_once_enough_room_was_made() -> None:
    occupied = 100
    room = Room(100, lambda: occupied)
    came_back: list[bool] = []
    waiter = threading.Thread(target=lambda: came_back.append(room.wait(20)))
    waiter.start()
    while not room._waiting:
        time.sleep(0.001)

    occupied = 99
    room.made()
    assert not came_back
    occupied = 75
    room.made()
    waiter.join(20)
    assert came_back == [True]


def test_a_window_of_one_does_not_lock_itself_out() -> None:
    occupied = 1
    room = Room(1, lambda: occupied)
    came_back: list[bool] = []
    waiter = threading.Thread(target=lambda: came_back.append(room.wait(20)))
    waiter.start()
    while not room._waiting:
        time.sleep(0.001)

    occupied = 0
    room.made()
    waiter.join(20)
    assert came_back == [True]
