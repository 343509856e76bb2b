"""Which confirm and which return belong to which message."""

from concurrent.futures import Future

import pika

from mq_common._inflight import InFlight, Submission
from mq_common.messages import OutgoingMessage


def submission(message_id: str = "m", *, key: str = "k", deadline: float = 10.0) -> Submission:
    message = OutgoingMessage("x", key, b"body", pika.BasicProperties(message_id=message_id))
    return Submission(message, deadline, 0.0, Future())


def test_a_multiple_confirm_answers_every_lower_tag_oldest_first() -> None:
    inflight = InFlight()
    first, second, third = submission("1"), submission("2"), submission("3")
    for each in (first, second, third):
        inflight.add(each)

    assert inflight.settle(2, multiple=True) == [first, second]
    assert inflight.settle(3, multiple=False) == [third]
    assert len(inflight) == 0


def test_a_confirm_for_a_message_that_timed_out_answers_nothing() -> None:
    inflight = InFlight()
    late, waiting = submission("1", deadline=1.0), submission("2", deadline=9.0)
    inflight.add(late)
    inflight.add(waiting)

    assert inflight.expired(now=5.0) == [late]
    assert inflight.settle(1, multiple=False) == []
    assert inflight.settle(2, multiple=True) == [waiting]


def test_two_equal_messages_that_both_come_back_are_both_marked() -> None:
    inflight = InFlight()
    twins = submission("same"), submission("same")
    for twin in twins:
        inflight.add(twin)

    assert inflight.mark_returned("x", "k", "same", b"body")
    assert inflight.mark_returned("x", "k", "same", b"body")
    assert not inflight.mark_returned("x", "k", "same", b"body")
    assert all(twin.returned for twin in twins)


def test_a_return_marks_only_the_message_it_is_about() -> None:
    inflight = InFlight()
    other, returned = submission("a"), submission("b", key="nowhere")
    inflight.add(other)
    inflight.add(returned)

    assert inflight.mark_returned("x", "nowhere", "b", b"body")
    assert (other.returned, returned.returned) == (False, True)


def test_a_new_channel_counts_from_one_again() -> None:
    inflight = InFlight()
    lost = submission("1")
    inflight.add(lost)

    assert inflight.restart() == [lost]
    again = submission("2")
    inflight.add(again)
    assert inflight.settle(1, multiple=False) == [again]
