"""The relay, turn by turn: order, once in effect, refusals, adoption."""

import json

import pytest

from ingest.asset_records import create_record
from ingest.outbox_entry import Entry, intent_key, waiting_key
from media_common import layout
from mq_common.events import MediaEvent, Source
from mq_common.publisher import Outcome


@pytest.fixture
def relay(runtime):
    return runtime.relay


def _event(asset_id, with_file=False):
    source = Source(key=f"assets/{asset_id}/source", size=5, sha256="0" * 64, content_type="video/mp4")
    return MediaEvent.create(asset_id=asset_id, owner_id="u-1", source=source if with_file else None)


def _hold(outbox, count, with_file=False):
    events = [_event(f"a-{number}", with_file) for number in range(count)]
    for event in reversed(events):
        outbox.hold(Entry(event, "trace"), "broker-unavailable")
    return events


def _sent(publisher):
    return [json.loads(message.body)["assetId"] for message in publisher.sent]


def _waiting(store):
    return list(store.list_keys("outbox/"))


def test_what_waits_is_published_in_the_uploads_order_with_its_trace_and_removed(relay, outbox, publisher, store):
    events = _hold(outbox, 20)
    relay.turn()
    assert _sent(publisher) == [event.asset_id for event in events]
    assert [message.properties.message_id for message in publisher.sent] == [event.event_id for event in events]
    assert {message.properties.headers["traceparent"] for message in publisher.sent} == {"trace"}
    assert _waiting(store) == []
    assert outbox.known_entries == 0


def test_nothing_is_published_while_the_broker_is_away_and_the_lease_is_left_to_others(relay, outbox, publisher, store):
    _hold(outbox, 3)
    relay.turn()
    publisher.ready = False
    _hold(outbox, 2)
    publisher.sent.clear()
    relay.turn()
    assert publisher.sent == []
    [lease] = [store.get_json(key) for key in store.list_keys("relay/")]
    assert lease["released"]
    assert outbox.known_entries == 2


@pytest.mark.parametrize("outcome", [Outcome.UNROUTABLE, Outcome.NACKED, Outcome.UNKNOWN])
def test_what_is_not_confirmed_stays_and_is_tried_again_later_one_at_a_time(relay, outbox, publisher, store, outcome):
    _hold(outbox, 10)
    publisher.outcome = outcome
    for _ in range(5):
        relay.turn()
    assert len(publisher.sent) == 1, "one try, then a wait"
    assert len(_waiting(store)) == 10
    publisher.outcome = Outcome.CONFIRMED
    relay._not_before = 0.0
    relay.turn()
    assert _waiting(store) == []


def test_the_waits_between_tries_grow_and_are_bounded(relay, outbox, publisher):
    _hold(outbox, 1)
    publisher.outcome = Outcome.NACKED
    waits = [relay._pause("outbox_refused") for _ in range(12)]
    assert waits[0] <= 1.0
    assert 15.0 <= waits[-1] <= 30.0


def test_an_entry_that_can_not_be_read_stays_and_holds_nobody_up(relay, outbox, publisher, store):
    store.put_bytes(waiting_key("0"), b"torn")
    _hold(outbox, 3)
    relay.turn()
    relay.turn()
    assert len(publisher.sent) == 3
    assert _waiting(store) == [waiting_key("0")]


def test_an_intent_whose_upload_died_is_finished_and_announced(relay, outbox, publisher, store, runtime):
    event = _event("a-1", with_file=True)
    outbox.intend(event)
    relay.turn()
    assert _sent(publisher) == ["a-1"]
    assert MediaEvent.from_body(store.get_bytes(layout.asset_key("a-1"))) == event
    assert [entry["assetId"] for entry, _, _ in runtime.index.newest_first()] == ["a-1"]
    assert (list(store.list_keys("intents/")), _waiting(store)) == ([], [])


def test_an_intent_of_an_upload_that_came_second_is_dropped_with_its_file(relay, outbox, publisher, store, runtime):
    first, second = _event("a-1", with_file=True), _event("a-1", with_file=True)
    second = second.model_copy(update={"source": second.source.model_copy(update={"key": "assets/a-1/source-2"})})
    create_record(store, first)
    for event in (first, second):
        store.put_bytes(event.source.key, b"12345")
    outbox.intend(second)
    relay.turn()
    assert publisher.sent == []
    assert store.get_bytes("assets/a-1/source") == b"12345"
    assert store.get_bytes("assets/a-1/source-2") is None
    assert store.get_bytes(intent_key(second.event_id)) is None


def test_batches_grow_while_all_goes_well_so_that_thousands_are_pipelined(relay, outbox, publisher, store, runtime):
    _hold(outbox, 1200)
    sizes = []
    publish = relay._batches.publish
    relay._batches.publish = lambda event_ids: sizes.append(len(event_ids)) or publish(event_ids)
    relay.turn()
    assert _waiting(store) == []
    assert sizes[:5] == [1, 2, 4, 8, 16]
    assert max(sizes) == 512
    assert _sent(publisher) == sorted(_sent(publisher), key=lambda asset_id: int(asset_id[2:]))


def test_with_the_outbox_off_what_is_there_is_still_sent(relay, outbox, publisher, store):
    _hold(outbox, 3)
    outbox.accepts = False
    relay.turn()
    assert len(publisher.sent) == 3
