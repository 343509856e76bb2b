"""Coalesced acks: never a tag that is not done, never a done tag left behind."""

from hypothesis import given
from hypothesis import strategies as st

from mq_common._acks import Ack, AckWindow


def window_with(*tags: int) -> AckWindow:
    window = AckWindow()
    for tag in tags:
        window.deliver(tag)
    return window


def test_one_frame_acknowledges_everything_below_the_first_gap() -> None:
    window = window_with(1, 2, 3, 4)
    for tag in (1, 2, 3):
        window.done(tag)

    assert window.take() == [Ack(3, multiple=True)]


def test_a_single_message_is_acknowledged_alone() -> None:
    window = window_with(1, 2)
    window.done(1)

    assert window.take() == [Ack(1, multiple=False)]


def test_what_is_done_above_a_gap_gets_a_frame_of_its_own() -> None:
    window = window_with(1, 2, 3)
    window.done(3)
    window.done(2)

    assert window.take() == [Ack(2, multiple=False), Ack(3, multiple=False)]
    window.done(1)
    assert window.take() == [Ack(1, multiple=False)]


def test_a_rejected_message_does_not_keep_the_others_from_being_acknowledged_together() -> None:
    window = window_with(1, 2, 3)
    window.done(1)
    window.settled(2)
    window.done(3)

    assert window.take() == [Ack(3, multiple=True)]


def test_only_rejected_messages_need_no_ack() -> None:
    window = window_with(1, 2)
    window.settled(1)
    window.settled(2)

    assert window.take() == []
    assert len(window) == 0


class ModelBroker:
    """The broker's side: which tags wait, and what an ack frame does to them."""

    def __init__(self) -> None:
        self.waiting: set[int] = set()

    def ack(self, frame: Ack) -> set[int]:
        hit = {tag for tag in self.waiting if (tag <= frame.tag if frame.multiple else tag == frame.tag)}
        assert frame.tag in hit, f"the broker would close the channel: unknown delivery tag {frame.tag}"
        self.waiting -= hit
        return hit


Step = st.one_of(
    st.just(("deliver", 0)),
    st.tuples(st.just("done"), st.integers(0, 30)),
    st.tuples(st.just("reject"), st.integers(0, 30)),
    st.just(("take", 0)),
)


@given(st.lists(Step, max_size=120))
def test_in_any_order_only_done_tags_are_acknowledged_and_all_of_them(steps: list[tuple[str, int]]) -> None:
    window, broker = AckWindow(), ModelBroker()
    running: list[int] = []
    done: set[int] = set()
    next_tag = 1

    def take() -> None:
        acknowledged: set[int] = set()
        for frame in window.take():
            acknowledged |= broker.ack(frame)
        assert acknowledged == done
        done.clear()

    for action, pick in steps:
        if action == "deliver":
            window.deliver(next_tag)
            broker.waiting.add(next_tag)
            running.append(next_tag)
            next_tag += 1
        elif action == "take":
            take()
        elif running:
            tag = running.pop(pick % len(running))
            if action == "done":
                window.done(tag)
                done.add(tag)
            else:
                broker.waiting.remove(tag)
                window.settled(tag)
    take()

    assert broker.waiting == set(running)
    assert len(window) == len(running)
