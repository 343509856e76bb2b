import threading
import time

import pytest

from ingest.door import DOOR_WAIT_S, Door
from ingest.problems import Problem


def test_an_open_door_lets_in_at_once(publisher):
    Door(publisher, files_at_once=2).admit()


def test_a_connection_that_comes_back_in_a_moment_is_waited_for(publisher):
    publisher.ready = False
    threading.Timer(0.1, lambda: setattr(publisher, "ready", True)).start()
    Door(publisher, files_at_once=2).admit()


def test_a_lost_broker_is_503_in_a_bound_and_then_at_once(publisher):
    publisher.ready = False
    door = Door(publisher, files_at_once=2)
    with pytest.raises(Problem) as refused:
        door.admit()
    assert refused.value.kind.slug == "broker-unavailable"
    assert refused.value.response_headers()["Retry-After"] == "5"
    started = time.monotonic()
    with pytest.raises(Problem):
        door.admit()
    assert time.monotonic() - started < DOOR_WAIT_S / 2


def test_the_door_opens_again(publisher):
    publisher.ready = False
    door = Door(publisher, files_at_once=2)
    with pytest.raises(Problem):
        door.admit()
    publisher.ready = True
    door.admit()


def test_files_have_a_bounded_number_of_places_and_others_get_in_all_the_same(publisher):
    door = Door(publisher, files_at_once=2)
    with door.admit_file(), door.admit_file():
        with pytest.raises(Problem) as refused, door.admit_file():
            pass
        assert refused.value.kind.slug == "too-many-uploads"
        door.admit()
    with door.admit_file():
        pass
