"""The store is full or away at any step of any upload: 507 or 503, nothing half-written, nothing published."""

import time

import pytest
from werkzeug.test import Client

from ingest.app import create_app
from media_common.errors import StoreFull, StoreUnavailable
from mq_common.publisher import Outcome

CLIP = b"moving pictures" * 1000

UPLOADS = {
    "raw": {"data": CLIP, "content_type": "video/mp4"},
    "raw-own-id": {"data": CLIP, "content_type": "video/mp4", "query_string": {"assetId": "mine"}},
    "multipart": {"data": {"file": (None, "a.mp4", "video/mp4")}},
    "json": {"json": {"assetId": "mine", "ownerId": "u-1"}},
}
ERRORS = {507: StoreFull("writing: No space left on device"), 503: StoreUnavailable("writing: connection refused")}


_MAKING = ("put_bytes", "create_record", "writer")


class FailingStore:
    """Makes a store's writes fail whose key has this text in it, before or after a byte was written."""

    def __init__(self, store, monkeypatch) -> None:
        self.text: str | None = None
        self.error: Exception = ERRORS[507]
        self.reading_too = False
        for name in (*_MAKING, "get_bytes", "read_record", "head", "exists", "delete", "delete_prefix"):
            monkeypatch.setattr(store, name, self._wrapped(name, getattr(store, name)))

    def _wrapped(self, name, method):
        def call(key, *arguments, **options):
            made = name in _MAKING
            if self.text is not None and self.text in key and (made or self.reading_too):
                if name == "writer":
                    return FailingWriter(method(key, *arguments, **options), self.error)
                raise self.error
            return method(key, *arguments, **options)

        return call

    def fail(self, text, status):
        self.text, self.error = text, ERRORS[status]
        self.reading_too = status == 503 and text == ""

    def heal(self):
        self.text = None


class FailingWriter:
    """Takes some bytes, then has no room for more."""

    def __init__(self, writer, error) -> None:
        self._writer, self._error, self._written = writer, error, 0

    def write(self, data):
        self._written += self._writer.write(data)
        if self._written > 1000:
            raise self._error
        return len(data)

    def commit(self):
        raise self._error

    def abort(self):
        self._writer.abort()


@pytest.fixture
def failing(store, monkeypatch) -> FailingStore:
    return FailingStore(store, monkeypatch)


@pytest.fixture
def client(runtime) -> Client:
    return Client(create_app(runtime))


def _send(client, form, key=None):
    import io

    request = dict(UPLOADS[form])
    if form == "multipart":
        request["data"] = {"file": (io.BytesIO(CLIP), "a.mp4", "video/mp4")}
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/media/upload", headers=headers, **request)


def _stored(store):
    folders = ("assets/", "simulated/", "idempotency/", "bursts/", "intents/", "outbox/")
    return {key for folder in folders for key in store.list_keys(folder)}


def _records(store):
    return [key for key in _stored(store) if key.startswith("simulated/") or key.endswith("asset.json")]


def _record_key(form, asset_id):
    return f"simulated/{asset_id}" if form == "json" else f"assets/{asset_id}/asset.json"


def _refused(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/problem+json"
    assert answer.json["type"] == f"urn:mediaflow:problem:store-{'full' if status == 507 else 'unavailable'}"
    assert int(answer.headers["Retry-After"]) > 0


#: What a request would wait here for another one with the same key: far longer than any of these takes.
PATIENCE_S = 60


STEPS = [
    (form, key, step)
    for form in UPLOADS
    for key in (None, "k-1")
    for step in (("simulated/",) if form == "json" else ("/source", "intents/", "asset.json"))
    + (("idempotency/",) if key else ())
]


@pytest.mark.parametrize("patience_s", [PATIENCE_S])
@pytest.mark.parametrize(("form", "key", "step"), STEPS)
def test_a_full_store_is_507_and_keeps_nothing_of_the_upload(
    patience_s, client, store, publisher, failing, form, key, step
):
    failing.fail(step, 507)
    for _ in range(2):
        started = time.monotonic()
        _refused(_send(client, form, key), 507)
        assert time.monotonic() - started < PATIENCE_S / 2  # nobody waits for a key that was given up
        assert _stored(store) == set()
    assert publisher.sent == []

    failing.heal()
    accepted = _send(client, form, key)
    assert accepted.status_code == 202, accepted.text
    asset_id = accepted.json["assetId"]
    assert _records(store) == [_record_key(form, asset_id)]
    assert [message.properties.message_id for message in publisher.sent] == [accepted.json["eventId"]]
    if form != "json":
        [source] = [key for key in _stored(store) if "/source" in key]
        assert store.get_bytes(source) == CLIP


@pytest.mark.parametrize(("form", "key", "step"), STEPS)
def test_a_store_that_fails_is_503_and_the_repetition_is_one_upload(client, store, publisher, failing, form, key, step):
    failing.fail(step, 503)
    _refused(_send(client, form, key), 503)
    assert publisher.sent == []

    failing.heal()
    accepted = _send(client, form, key)
    assert accepted.status_code == 202, accepted.text
    assert len(publisher.sent) == 1
    records = _records(store)
    assert records == [_record_key(form, accepted.json["assetId"])]
    if form != "json":
        body = store.get_json(records[0])
        assert store.get_bytes(body["source"]["key"]) == CLIP


@pytest.mark.parametrize("form", UPLOADS)
@pytest.mark.parametrize("key", [None, "k-1"])
def test_a_store_that_is_gone_altogether_is_503(client, publisher, failing, form, key):
    failing.fail("", 503)
    _refused(_send(client, form, key), 503)
    assert publisher.sent == []


@pytest.mark.parametrize("status", [507, 503])
def test_a_burst_without_its_record_publishes_nothing(client, store, publisher, failing, status):
    failing.fail("bursts/", status)
    _refused(client.post("/media/burst", json={"count": 3}), status)
    assert publisher.sent == []
    assert _stored(store) == set()


@pytest.mark.parametrize("form", UPLOADS)
def test_an_upload_that_the_broker_has_is_accepted_though_its_key_can_not_be_settled(
    client, store, publisher, failing, form, monkeypatch
):
    submit = publisher.submit

    def confirmed_and_then_full(message):
        failing.fail("idempotency/", 507)
        return submit(message)

    monkeypatch.setattr(publisher, "submit", confirmed_and_then_full)
    first = _send(client, form, "k-1")
    assert first.status_code == 202
    failing.heal()
    again = _send(client, form, "k-1")
    assert (again.status_code, again.json) == (202, first.json)
    assert len({message.properties.message_id for message in publisher.sent}) == 1


def test_a_refused_publish_is_told_as_such_though_its_key_can_not_be_settled(client, publisher, failing, monkeypatch):
    publisher.outcome = Outcome.NACKED
    submit = publisher.submit
    monkeypatch.setattr(publisher, "submit", lambda message: (failing.fail("idempotency/", 507), submit(message))[1])
    answer = _send(client, "json", "k-1")
    assert answer.json["type"] == "urn:mediaflow:problem:refused-by-broker"


@pytest.mark.parametrize("patience_s", [PATIENCE_S])
@pytest.mark.parametrize("form", UPLOADS)
def test_an_event_that_neither_the_broker_nor_the_outbox_has_is_told_as_stored_and_not_announced(
    patience_s, client, publisher, failing, form
):
    publisher.outcome = Outcome.UNKNOWN
    failing.fail("outbox/", 507)
    refused = _send(client, form, "k-1")
    assert (refused.status_code, refused.json["type"]) == (503, "urn:mediaflow:problem:not-confirmed")
    assert "The upload is stored" in refused.json["detail"]

    failing.heal()
    publisher.outcome = Outcome.CONFIRMED
    started = time.monotonic()
    again = _send(client, form, "k-1")
    assert time.monotonic() - started < PATIENCE_S / 2
    assert (again.status_code, again.json["eventId"]) == (202, refused.json["eventId"])


def test_what_the_store_says_to_the_clearing_up_does_not_hide_why(client, failing):
    failing.fail("/source", 507)
    failing.reading_too = True  # deleting fails as well
    _refused(_send(client, "raw"), 507)


def test_the_list_may_fall_short_but_the_upload_is_accepted(client, publisher, failing):
    failing.fail("index/", 507)
    assert _send(client, "raw").status_code == 202
    assert client.post("/media/burst", json={"count": 3}).status_code == 202
    assert len(publisher.sent) == 4
