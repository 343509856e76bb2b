"""The hand-over between the loop's thread and the job threads: nothing lost, nothing twice, never stuck."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import REGISTRY

from mq_common._crew import Crew
from mq_common._returns import Delivery
from mq_common.events import MediaEvent
from mq_common.jobs import JobEnd

#: A wake that does not come in so many seconds never comes.
MISSED_S = 20.0
#: The wire form of no properties at all.
NO_PROPERTIES = b"\0\0"


class FakeRunner:
    """Runs a function for each event."""

    def __init__(self, action: Callable[[MediaEvent], JobEnd] = lambda event: JobEnd.DONE) -> None:
        self.action = action

    def run(self, event: MediaEvent, *, returns: int = 0) -> JobEnd:
        return self.action(event)


class Loop:
    """The loop's side: sleeps until it is woken, takes what has ended."""

    def __init__(self, size: int, runner: Any) -> None:
        self.woken = threading.Event()
        self.crew = Crew("test", size, runner, self.woken.set)
        self.ended: list[tuple[int, JobEnd]] = []
        self.tag = 0

    def take(self) -> None:
        self.ended += [(finished.delivery.tag, finished.end) for finished in self.crew.take_finished()]

    def await_wake(self) -> None:
        assert self.woken.wait(MISSED_S), "finished jobs wait, and nobody was told"
        self.woken.clear()
        self.take()

    def add(self, generation: int, count: int) -> list[int]:
        tags = list(range(self.tag + 1, self.tag + count + 1))
        self.tag += count
        bodies = [MediaEvent.create(asset_id=f"a-{tag}", owner_id="u").to_body() for tag in tags]
        self.crew.add(
            [Delivery(generation, tag, False, NO_PROPERTIES, body) for tag, body in zip(tags, bodies, strict=True)]
        )
        return tags


@contextmanager
def loop_with(size: int, runner: Any) -> Iterator[Loop]:
    loop = Loop(size, runner)
    loop.crew.start()
    try:
        yield loop
    finally:
        loop.crew.dismiss()


def once_each(tags: list[int], end: JobEnd = JobEnd.DONE) -> Counter[tuple[int, JobEnd]]:
    return Counter((tag, end) for tag in tags)


@settings(max_examples=60)
@given(st.integers(1, 4), st.lists(st.tuples(st.integers(0, 120), st.booleans()), max_size=8))
def test_each_delivery_ends_once_and_the_loop_hears_of_it_without_looking(
    size: int, batches: list[tuple[int, bool]]
) -> None:
    tags: list[int] = []
    with loop_with(size, FakeRunner()) as loop:
        generation = loop.crew.next_generation()
        for count, looks in batches:
            tags += loop.add(generation, count)
            if looks:
                loop.take()
        while len(loop.ended) < len(tags):
            loop.await_wake()
        loop.take()
        assert Counter(loop.ended) == once_each(tags)
        assert loop.crew.idle or not loop.crew._finished


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(0, 150), st.integers(0, 150))
def test_what_is_taken_back_does_not_run_and_what_runs_is_not_taken_back(size: int, first: int, second: int) -> None:
    with loop_with(size, FakeRunner()) as loop:
        generation = loop.crew.next_generation()
        tags = loop.add(generation, first) + loop.add(generation, second)
        unstarted = [delivery.tag for delivery in loop.crew.take_unstarted()]
        while not loop.crew.idle:
            loop.take()
        loop.take()
        assert Counter(loop.ended) + once_each(unstarted) == once_each(tags)


@settings(max_examples=40)
@given(st.integers(1, 3), st.lists(st.integers(0, 60), min_size=1, max_size=5))
def test_deliveries_of_a_lost_channel_run_at_most_once_and_those_of_the_new_one_exactly_once(
    size: int, batches: list[int]
) -> None:
    with loop_with(size, FakeRunner()) as loop:
        lost: list[int] = []
        fresh: list[int] = []
        for count in batches:
            lost += fresh
            fresh = loop.add(loop.crew.next_generation(), count)
        while not loop.crew.idle:
            loop.take()
        loop.take()
        ended = Counter(loop.ended)
        assert all(ended[tag, JobEnd.DONE] == 1 for tag in fresh)
        assert all(ended[tag, JobEnd.DONE] <= 1 for tag in lost)
        assert set(ended) <= set(once_each(lost + fresh))


def test_a_job_that_blocks_holds_up_neither_the_loop_nor_the_other_threads() -> None:
    release = threading.Event()

    def first_blocks(event: MediaEvent) -> JobEnd:
        if event.asset_id == "a-1":
            release.wait(MISSED_S)
        return JobEnd.DONE

    with loop_with(2, FakeRunner(first_blocks)) as loop:
        tags = loop.add(loop.crew.next_generation(), 300)
        while len(loop.ended) < len(tags) - 1:
            loop.await_wake()
        assert loop.crew.working
        release.set()
        while len(loop.ended) < len(tags):
            loop.await_wake()
        assert Counter(loop.ended) == once_each(tags)


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff"])
def test_a_body_that_is_no_event_is_rejected(body: bytes) -> None:
    with loop_with(1, FakeRunner()) as loop:
        loop.crew.add([Delivery(loop.crew.next_generation(), 1, False, NO_PROPERTIES, body)])
        loop.await_wake()
        assert loop.ended == [(1, JobEnd.REJECTED)]


def test_properties_that_nobody_can_read_make_a_bad_message_and_the_thread_lives_on() -> None:
    with loop_with(1, FakeRunner()) as loop:
        generation = loop.crew.next_generation()
        body = MediaEvent.create(asset_id="a", owner_id="u").to_body()
        loop.crew.add([Delivery(generation, 1, True, b"\xff\xfe\x05", body)])
        loop.await_wake()
        loop.crew.add([Delivery(generation, 2, True, NO_PROPERTIES, body)])
        loop.await_wake()
        assert loop.ended == [(1, JobEnd.REJECTED), (2, JobEnd.DONE)]


def test_a_runner_that_breaks_rejects_its_message_and_the_thread_lives_on() -> None:
    def broken(event: MediaEvent) -> JobEnd:
        raise SystemError("a fault of ours")

    runner = FakeRunner(broken)
    with loop_with(1, runner) as loop:
        generation = loop.crew.next_generation()
        loop.add(generation, 1)
        loop.await_wake()
        runner.action = lambda event: JobEnd.DONE
        loop.add(generation, 1)
        loop.await_wake()
        assert loop.ended == [(1, JobEnd.REJECTED), (2, JobEnd.DONE)]


def test_many_quick_jobs_wake_the_loop_seldom() -> None:
    wakes = 0

    def woken() -> None:
        nonlocal wakes
        wakes += 1

    crew = Crew("test", 1, FakeRunner(), woken)  # type: ignore[arg-type]
    generation = crew.next_generation()
    body = MediaEvent.create(asset_id="a", owner_id="u").to_body()
    crew.add([Delivery(generation, tag, False, NO_PROPERTIES, body) for tag in range(1, 2001)])
    crew.dismiss()
    crew._work()  # on this thread, and nobody takes what has ended

    assert len(list(crew.take_finished())) == 2000
    assert wakes == 1  # until it is heeded, one wake says it all


def test_the_age_of_the_oldest_running_job_is_told() -> None:
    def oldest() -> float:
        value = REGISTRY.get_sample_value("mediaflow_jobs_oldest_seconds", {"channel": "test"})
        assert value is not None
        return value

    both, go_on = threading.Barrier(3), threading.Event()

    def work(_: MediaEvent) -> JobEnd:
        both.wait(MISSED_S)
        go_on.wait(MISSED_S)
        return JobEnd.DONE

    with loop_with(2, FakeRunner(work)) as loop:
        assert oldest() == 0
        began = time.monotonic()
        loop.add(loop.crew.next_generation(), 2)
        both.wait(MISSED_S)
        first = oldest()
        assert 0 < first <= time.monotonic() - began
        assert first < oldest()
        go_on.set()
        while len(loop.ended) < 2:
            loop.await_wake()
        assert oldest() == 0
