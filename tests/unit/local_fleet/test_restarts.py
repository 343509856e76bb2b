"""How long a dead process waits, and what is said about its death."""

import pytest

from local_fleet.backoff import Backoff
from local_fleet.exits import describe_exit, is_hopeless, last_line


def test_the_wait_doubles_up_to_half_a_minute_and_begins_anew_after_a_healthy_life():
    backoff = Backoff()
    assert [backoff.after(0.1) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert backoff.after(3600) == 0.5


@pytest.mark.parametrize(
    ("code", "said", "described"),
    [
        (0, "", "exit code 0"),
        (2, "mediaflow: AMQP_URL: bad", "exit code 2: mediaflow: AMQP_URL: bad"),
        (-9, "", "killed by SIGKILL"),
        (-11, "starting", "killed by SIGSEGV: starting"),
        (-250, "", "killed by signal 250"),
    ],
)
def test_an_end_is_told_in_one_line(code, said, described):
    assert describe_exit(code, said) == described


def test_the_last_words_are_those_of_this_life_without_colours(tmp_path):
    log = tmp_path / "worker.log"
    log.write_bytes(b"of an earlier life\n")
    beginning = log.stat().st_size
    assert last_line(log, beginning) == ""
    with log.open("ab") as file:
        file.write(b"started\n\x1b[31mValueError: bad \xff\x1b[0m\n\n")
    assert last_line(log, beginning) == "ValueError: bad \N{REPLACEMENT CHARACTER}"
    assert last_line(tmp_path / "none.log", 0) == ""


@pytest.mark.parametrize(
    ("code", "said", "drawn", "hopeless"),
    [
        (2, "mediaflow: AMQP_URL: must start with amqp://", True, True),
        (4, "mediaflow: media.transcode: x-max-length", True, True),
        (2, "mediaflow: MEDIAFLOW_HEALTH_PORT: can't listen on 127.0.0.1:4711: Address already in use", True, False),
        (2, "mediaflow: MEDIAFLOW_HEALTH_PORT: can't listen on 127.0.0.1:4711: Address already in use", False, True),
        (1, "Traceback", True, False),
        (-9, "", True, False),
    ],
)
def test_a_start_that_would_end_the_same_way_is_not_repeated_and_one_that_lost_its_port_is(code, said, drawn, hopeless):
    assert is_hopeless(code, said, port_is_drawn=drawn) is hopeless
