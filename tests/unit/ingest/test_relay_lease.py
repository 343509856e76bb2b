"""One relay at a time: the lease, with clocks that the tests set."""

import threading

import pytest

from ingest.relay_lease import RelayLease

LEASE_S = 6.0


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def contender(store, clock):
    return lambda own_clock=clock: RelayLease(store, lease_s=LEASE_S, clock=own_clock)


def _terms(store):
    return sorted(store.list_keys("relay/"))


def test_the_first_gets_the_lease_and_the_second_does_not(contender):
    first, second = contender(), contender()
    assert first.hold()
    assert not second.hold()
    assert first.hold()


def test_a_lease_that_is_renewed_is_never_taken_over(contender, clock):
    first, second = contender(), contender()
    for _ in range(20):
        assert first.hold()
        assert not second.hold()
        clock.now += LEASE_S / 3


def test_a_dead_holder_is_followed_after_its_lease_and_not_before(contender, clock):
    first, second = contender(), contender()
    assert first.hold()
    assert not second.hold()
    clock.now += LEASE_S - 0.1
    assert not second.hold()
    clock.now += 0.2
    assert second.hold()


def test_a_released_lease_is_free_at_once(contender):
    first, second = contender(), contender()
    assert first.hold()
    first.release()
    assert second.hold()
    assert not first.hold()


def test_who_slept_through_the_lease_finds_that_another_has_it(contender, clock, store):
    first, second = contender(), contender()
    assert first.hold()
    assert not second.hold()
    clock.now += LEASE_S + 1
    assert second.hold()
    assert not first.hold()
    assert second.hold()
    assert [first.term, second.term] == [None, 2]
    assert len(_terms(store)) == 1


def test_who_slept_and_was_not_missed_goes_on(contender, clock):
    first = contender()
    assert first.hold()
    clock.now += 10 * LEASE_S
    assert first.hold()


def test_clocks_need_not_agree(contender, clock):
    other = Clock()
    other.now = -5_000_000.0
    first, second = contender(), contender(other)
    assert first.hold()
    assert not second.hold()
    other.now += LEASE_S / 2
    clock.now += LEASE_S / 2
    assert first.hold()
    other.now += LEASE_S / 2 + 0.1
    assert not second.hold()


def test_who_looked_at_a_term_that_is_long_over_does_not_become_a_second_holder(contender, clock, store, monkeypatch):
    late, first = contender(), contender()
    late._seen_term = 1  # it read the lease's names, then slept
    for _ in range(3):
        assert first.hold()
        first.release()
    assert first.hold()
    assert first.term == 4
    assert not late._take(2)
    assert not late.hold()
    assert _terms(store) == ["relay/000000000004.json"]


def test_of_many_at_once_one_gets_it(store):
    leases = [RelayLease(store) for _ in range(8)]
    start, got = threading.Barrier(8), []

    def contend(lease):
        start.wait()
        got.append(lease.hold())

    threads = [threading.Thread(target=contend, args=(lease,)) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got.count(True) == 1
