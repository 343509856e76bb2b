"""SIGKILL at the exact points between store and broker: what is accepted is announced, what is stored is not stuck."""

import os
import signal
from pathlib import Path

import httpx
import pytest

from ingest_server import queue_messages, until

_DYING = (str(Path(__file__).with_name("dying_ingest.py")),)
_QUICK = {"MEDIAFLOW_INGEST_WORKERS": "1", "MEDIAFLOW_INGEST_PUBLISH_LIMIT_S": "1"}

#: Where an upload with a file dies while the broker is up.
_WITH_BROKER = {
    "no-intent": "before put_bytes ^intents/",
    "no-record": "before put_bytes ^assets/.*asset.json$",
    "no-publish": "after put_bytes ^assets/.*asset.json$",
    "no-removal": "before delete ^intents/",
}
#: And where while it is down.
_WITHOUT_BROKER = {"no-entry": "before put_bytes ^outbox/", "two-entries": "before delete ^intents/"}


def _upload(server, asset_id, clip):
    url = f"{server.url}/media/upload?assetId={asset_id}"
    return httpx.post(url, content=clip, headers={"Content-Type": "video/mp4"}, timeout=30)


def _upload_to_death(server, asset_id, clip):
    until(lambda: _answers(server), "the start")
    with pytest.raises(httpx.TransportError):
        _upload(server, asset_id, clip)
    server.process.wait(10)


@pytest.mark.slow
def test_wherever_an_upload_is_killed_its_stored_asset_is_announced(start, amqp_url, wire, wired_url, clip):
    for asset_id, death in _WITH_BROKER.items():
        dying = start(program=_DYING, INGEST_DIES=death, **_QUICK)
        _upload_to_death(dying, asset_id, clip)
    for asset_id, death in _WITHOUT_BROKER.items():
        wire.mend()
        dying = start(wired_url, program=_DYING, INGEST_DIES=death, **_QUICK)
        wire.cut()
        _upload_to_death(dying, asset_id, clip)
    left = {key.split("/")[1] for key in dying.files() if key.endswith("asset.json")}
    assert left == {*_WITH_BROKER, *_WITHOUT_BROKER} - {"no-intent", "no-record"}

    server = start(**_QUICK)
    until(lambda: _drained(server), "the relay", 40)
    assert httpx.get(f"{server.url}/media/no-intent").status_code == 404
    announced = {}
    for _, body in queue_messages(amqp_url):
        announced.setdefault(body["assetId"], set()).add(body["eventId"])
    assert set(announced) == {*_WITH_BROKER, *_WITHOUT_BROKER} - {"no-intent"}
    for asset_id, event_ids in announced.items():
        assert event_ids == {httpx.get(f"{server.url}/media/{asset_id}").json()["eventId"]}
    # With the same id and content it goes on where it was killed.
    assert _upload(server, "no-intent", clip).status_code == 202


@pytest.mark.slow
def test_a_killed_relay_is_followed_within_seconds_and_nothing_is_lost(start, amqp_url, wire, wired_url):
    wire.mend()
    dying = start(wired_url, program=_DYING, INGEST_DIES="before delete_all ^outbox/", **_QUICK)
    other = start(amqp_url, ready=False, **_QUICK)
    wire.cut()
    with dying.client() as client:
        until(lambda: client.get("/readyz").json()["broker"] != "ok", "the loss")
    until(lambda: other.records("publisher_connected"), "the other process")
    os.kill(other.process.pid, signal.SIGSTOP)
    for worker in other.workers():
        os.kill(worker, signal.SIGSTOP)
    with dying.client() as client:
        answers = [client.post("/media/upload", json={"assetId": f"a-{n}", "ownerId": "u"}) for n in range(50)]
    sent = [answer.json()["eventId"] for answer in answers]
    wire.mend()
    until(lambda: dying.process.poll() is not None, "the relay's death", 30)
    for pid in (*other.workers(), other.process.pid):
        os.kill(pid, signal.SIGCONT)
    until(lambda: _drained(other), "the other relay", 15)
    published = [properties.message_id for properties, _ in queue_messages(amqp_url)]
    assert list(dict.fromkeys(published)) == sent
    assert len(published) == len(sent) + 1, "the one that was confirmed and not removed comes twice"


def _drained(server):
    return not [key for key in server.files() if key.startswith(("outbox/", "intents/"))]


def _answers(server):
    try:
        return httpx.get(f"{server.url}/readyz").status_code == 200
    except httpx.TransportError:
        return False
