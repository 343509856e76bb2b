"""What an upload is told, and what it leaves in the store, for each way in which a publish ends."""

import pytest

from ingest.acceptance import announce, register
from ingest.asset_records import create_record
from ingest.outbox_entry import intent_key, waiting_key
from ingest.problems import Problem
from media_common import layout
from mq_common.events import MediaEvent, Source
from mq_common.publisher import Outcome


def _event(asset_id="a-1", owner="u-1", *, with_file=True):
    source = Source(key=f"assets/{asset_id}/source", size=5, sha256="0" * 64, content_type="video/mp4")
    return MediaEvent.create(asset_id=asset_id, owner_id=owner, source=source if with_file else None)


def _left(store):
    return {key for prefix in ("intents/", "outbox/") for key in store.list_keys(prefix)}


def _upload(runtime, event, **more):
    return announce(runtime, register(runtime, event, **more), "trace")


def test_a_confirmed_upload_leaves_nothing_that_waits(runtime, store):
    assert _upload(runtime, _event()) == "queued"
    assert _left(store) == set()


def test_the_intent_is_there_before_the_record_and_until_the_confirm(runtime, store, publisher, monkeypatch):
    event, seen = _event(), []
    submit = publisher.submit

    def recording(store, event):
        seen.append(_left(store))
        return create_record(store, event)

    monkeypatch.setattr("ingest.acceptance.create_record", recording)
    publisher.submit = lambda message: (seen.append(_left(store)), submit(message))[1]
    _upload(runtime, event)
    assert seen == [{intent_key(event.event_id)}] * 2


def test_a_simulated_upload_on_the_good_path_writes_nothing_but_its_record(runtime, store):
    _upload(runtime, _event(with_file=False))
    runtime.index.flush()
    assert {key.partition("/")[0] for key in store.list_keys("")} == {"index", "simulated"}


@pytest.mark.parametrize("with_file", [True, False])
@pytest.mark.parametrize("ready", [True, False])
def test_without_a_confirm_the_event_waits_and_the_upload_is_accepted(runtime, store, publisher, with_file, ready):
    publisher.ready, publisher.outcome = ready, Outcome.UNKNOWN
    event = _event(with_file=with_file)
    assert _upload(runtime, event) == "accepted"
    assert _left(store) == {waiting_key(event.event_id)}
    assert len(publisher.sent) == (1 if ready else 0), "a broker that is known to be away is not waited for"


@pytest.mark.parametrize("outcome", [Outcome.UNROUTABLE, Outcome.NACKED])
def test_a_refused_upload_is_told_so_and_announced_later_if_it_has_a_file(runtime, store, publisher, outcome):
    publisher.outcome = outcome
    event = _event()
    with pytest.raises(Problem) as refused:
        _upload(runtime, event)
    assert refused.value.kind.status == 503
    assert refused.value.members["eventId"] == event.event_id
    assert _left(store) == {waiting_key(event.event_id)}
    with pytest.raises(Problem):
        _upload(runtime, _event("a-2", with_file=False))
    assert _left(store) == {waiting_key(event.event_id)}


def test_a_refused_upload_that_comes_again_is_published_at_once_and_only_that_time(runtime, store, publisher):
    publisher.outcome = Outcome.NACKED
    with pytest.raises(Problem):
        _upload(runtime, _event())
    publisher.outcome = Outcome.CONFIRMED
    assert _upload(runtime, _event()) == "queued"
    assert _left(store) == set()
    runtime.relay.turn()
    assert len(publisher.sent) == 2


@pytest.mark.parametrize("key", ["k-1", None])
def test_the_same_upload_while_it_waits_is_the_same_event_and_no_second_entry(runtime, store, publisher, key):
    publisher.ready = False
    first = register(runtime, _event(), key=key)
    assert announce(runtime, first, "trace") == "accepted"
    publisher.ready = True
    again = register(runtime, _event(), key=key)
    assert again.event.event_id == first.event.event_id
    assert announce(runtime, again, "trace") == "accepted"
    assert publisher.sent == []
    assert _left(store) == {waiting_key(first.event.event_id)}
    runtime.relay.turn()
    assert len(publisher.sent) == 1


def test_a_repeated_key_after_the_relay_says_queued_and_publishes_nothing(runtime, publisher):
    publisher.ready = False
    _upload(runtime, _event(), key="k-1")
    publisher.ready = True
    runtime.relay.turn()
    assert _upload(runtime, _event(), key="k-1") == "queued"
    assert len(publisher.sent) == 1


def test_other_content_under_the_same_id_is_409_while_the_first_waits_and_leaves_no_intent(runtime, store, publisher):
    publisher.ready = False
    first = _event()
    _upload(runtime, first)
    with pytest.raises(Problem) as refused:
        _upload(runtime, _event(owner="u-2"))
    assert refused.value.kind.status == 409
    assert _left(store) == {waiting_key(first.event_id)}


def test_a_full_outbox_lets_nobody_in_and_opens_again(runtime, publisher):
    publisher.ready = False
    for number in range(5):
        runtime.door.admit()
        _upload(runtime, _event(f"a-{number}"))
    with pytest.raises(Problem) as refused:
        runtime.door.admit()
    assert (refused.value.kind.slug, refused.value.kind.status) == ("outbox-full", 503)
    assert refused.value.response_headers()["Retry-After"] == "30"
    publisher.ready = True
    runtime.relay.turn()
    runtime.door.admit()


def test_with_the_outbox_off_nothing_is_kept_and_the_client_is_told(runtime, store, publisher, outbox):
    outbox.accepts = False
    publisher.outcome = Outcome.UNKNOWN
    with pytest.raises(Problem) as refused:
        _upload(runtime, _event())
    assert refused.value.kind.slug == "not-confirmed"
    assert _left(store) == set()
    assert store.get_bytes(layout.asset_key("a-1")) is not None
    publisher.ready = False
    with pytest.raises(Problem) as refused:
        runtime.door.admit()
    assert refused.value.kind.slug == "broker-unavailable"


def test_a_burst_needs_the_broker_whatever_the_outbox_does(runtime, publisher):
    publisher.ready = False
    runtime.door.admit()
    with pytest.raises(Problem) as refused, runtime.door.admit_burst(1):
        pass
    assert refused.value.kind.slug == "broker-unavailable"
