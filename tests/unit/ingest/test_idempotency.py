import threading
import time

import pytest

from ingest.idempotency import IdempotencyRecords, Record, fingerprint_of, key_of_header
from ingest.problems import Problem
from mq_common.events import MediaEvent, Source


def _event(asset_id="a-1", owner="u-1", duration=None, sha256="0" * 64):
    source = Source(key="k", size=5, sha256=sha256, content_type="video/mp4")
    return MediaEvent.create(asset_id=asset_id, owner_id=owner, duration_sec=duration, source=source)


@pytest.fixture
def records(store):
    return IdempotencyRecords(store, patience_s=1.0)


def test_the_first_request_gets_the_key_and_a_later_one_its_record(records):
    event = _event()
    ours = records.claim("k-1", "f", event)
    assert (ours.event, ours.state) == (event, "pending")
    records.settle("k-1", ours, "confirmed")
    again = records.claim("k-1", "f", _event())
    assert (again.event, again.state) == (event, "confirmed")


def test_a_key_for_another_upload_is_refused_with_422(records):
    records.settle("k-1", records.claim("k-1", "f", _event()), "confirmed")
    with pytest.raises(Problem) as refused:
        records.claim("k-1", "other", _event())
    assert refused.value.kind.slug == "idempotency-key-reused"


def test_a_second_request_waits_until_the_first_has_ended(records):
    first = records.claim("k-1", "f", _event())
    second = []
    waiter = threading.Thread(target=lambda: second.append(records.claim("k-1", "f", _event())))
    waiter.start()
    records.settle("k-1", first, "confirmed")
    waiter.join(5)
    assert (second[0].event, second[0].state) == (first.event, "confirmed")


def test_a_request_whose_publish_failed_is_taken_over_at_once(records):
    first = records.claim("k-1", "f", _event())
    records.settle("k-1", first, "unconfirmed")
    started = time.monotonic()
    second = records.claim("k-1", "f", _event())
    assert (second.event, second.state) == (first.event, "unconfirmed")
    assert time.monotonic() - started < 0.5


def test_a_request_that_died_is_taken_over_when_patience_ends(records):
    first = records.claim("k-1", "f", _event())
    second = records.claim("k-1", "f", _event())
    assert (second.event, second.state) == (first.event, "pending")
    assert time.time() - first.created_at >= 1.0


def test_keys_are_only_hashed_so_any_text_is_safe(records, store):
    records.claim("../../etc/passwd", "f", _event())
    assert [len(key) for key in store.list_keys("")] == [len("idempotency/") + 64 + len(".json")]


def test_a_record_is_stored_and_read_back_whole():
    record = Record("f", _event(duration=1.5), "confirmed", 12.5)
    assert Record.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("header", "key"),
    [(None, None), ("abc", "abc"), ('"abc"', "abc"), (" abc ", "abc"), ("a b", "a b"), ("x" * 255, "x" * 255)],
)
def test_a_key_is_read_with_or_without_quotes(header, key):
    assert key_of_header(header) == key


@pytest.mark.parametrize("header", ["", " ", '""', "x" * 256, "a\x00b"])
def test_what_is_no_key_is_refused_with_400(header):
    with pytest.raises(Problem) as refused:
        key_of_header(header)
    assert refused.value.kind.status == 400


def test_the_fingerprint_is_of_content_and_fields_not_of_ids_that_we_chose():
    one, same = _event("a-1"), _event("a-2")
    assert fingerprint_of(one, asset_id_given=False) == fingerprint_of(same, asset_id_given=False)
    prints = {
        fingerprint_of(one, asset_id_given=False),
        fingerprint_of(one, asset_id_given=True),
        fingerprint_of(same, asset_id_given=True),
        fingerprint_of(_event(owner="u-2"), asset_id_given=False),
        fingerprint_of(_event(duration=1.0), asset_id_given=False),
        fingerprint_of(_event(sha256="1" * 64), asset_id_given=False),
    }
    assert len(prints) == 6


def test_a_key_that_is_released_is_free_and_whoever_waits_for_it_hears_so(records, store, monkeypatch):
    first = records.claim("k-1", "f", _event())
    read, waits = store.get_json, threading.Event()
    monkeypatch.setattr(store, "get_json", lambda key: (read(key), waits.set())[0])
    refused = []

    def wait():
        with pytest.raises(Problem) as problem:
            records.claim("k-1", "f", _event())
        refused.append(problem.value)

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert waits.wait(5)
    assert records.release("k-1", first)
    waiter.join(5)
    assert refused[0].kind.status == 503
    assert records.find("k-1") is None


def test_a_key_is_not_released_when_its_repetition_may_have_begun(records):
    old = Record("f", _event(), "pending", time.time() - 0.6)
    assert not records.release("k-1", old)
