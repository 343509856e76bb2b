"""Uploads that are accepted, in their three forms."""

import hashlib
import json
import os
import subprocess
from uuid import UUID, uuid4

import pytest

from ingest_server import IngestServer, queue_messages

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def _asset(client, answer):
    return client.get(answer.headers["Location"]).json()


@pytest.fixture(autouse=True)
def empty_queue(front: IngestServer):
    queue_messages(front.amqp_url)


def test_a_raw_upload_is_stored_announced_once_and_then_answered_202(front, client, clip):
    answer = client.post(
        "/media/upload",
        params={"filename": "my holiday.mp4", "ownerId": "u-7", "durationSec": "12.5"},
        content=clip,
        headers={"Content-Type": "video/mp4", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"},
    )
    assert answer.status_code == 202
    accepted = answer.json()
    assert accepted == {"eventId": accepted["eventId"], "assetId": accepted["assetId"], "status": "queued"}
    assert answer.headers["Location"] == f"/media/{accepted['assetId']}"
    assert UUID(accepted["eventId"]).version == 7

    [(properties, event)] = queue_messages(front.amqp_url)
    assert properties.message_id == accepted["eventId"]
    assert properties.headers["traceparent"].startswith(f"00-{TRACE}-")
    assert event == {
        "eventId": accepted["eventId"],
        "assetId": accepted["assetId"],
        "ownerId": "u-7",
        "durationSec": 12.5,
        "uploadedAt": event["uploadedAt"],
        "source": {
            "key": f"assets/{accepted['assetId']}/source",
            "size": len(clip),
            "sha256": hashlib.sha256(clip).hexdigest(),
            "contentType": "video/mp4",
            "fileName": "my holiday.mp4",
        },
    }
    assert (front.store_root / event["source"]["key"]).read_bytes() == clip
    assert json.loads((front.store_root / f"assets/{accepted['assetId']}/asset.json").read_text()) == event
    [line] = [line for line in front.records("upload_accepted") if line["event_id"] == accepted["eventId"]]
    assert (line["asset_id"], line["size"], line["form"]) == (accepted["assetId"], len(clip), "raw")
    assert line["trace_id"] == TRACE
    assert 0 < line["seconds"] < 10


def test_a_form_is_as_good_as_a_raw_body(front, client, clip):
    answer = client.post("/media/upload", data={"ownerId": "u-8"}, files={"file": ("grüne 🏖.mp4", clip, "video/mp4")})
    assert answer.status_code == 202
    [(_, event)] = queue_messages(front.amqp_url)
    assert (event["ownerId"], event["source"]["fileName"]) == ("u-8", "grüne 🏖.mp4")
    assert event["source"]["sha256"] == hashlib.sha256(clip).hexdigest()
    assert (front.store_root / event["source"]["key"]).read_bytes() == clip


def test_fields_may_come_after_the_forms_file_but_the_asset_id_must_not(front, client, clip):
    file = ("file", ("a.mp4", clip, "video/mp4"))
    later = client.post("/media/upload", files=[file, ("ownerId", (None, "late")), ("durationSec", (None, "3"))])
    assert later.status_code == 202
    assert _asset(client, later)["ownerId"] == "late"
    before = front.media_files()
    too_late = client.post("/media/upload", files=[file, ("assetId", (None, "late-1"))])
    assert too_late.status_code == 422
    assert "before the part 'file'" in too_late.json()["detail"]
    assert front.media_files() == before
    asset_id = f"early-{uuid4().hex}"
    assert client.post("/media/upload", files=[("assetId", (None, asset_id)), file]).json()["assetId"] == asset_id


def test_a_simulated_asset_has_no_file(front, client):
    asset_id = f"demo-{uuid4().hex}"
    answer = client.post("/media/upload", json={"assetId": asset_id, "ownerId": "u-1", "durationSec": 120, "new": 1})
    assert answer.status_code == 202
    [(_, event)] = queue_messages(front.amqp_url)
    assert (event["assetId"], event["durationSec"], event["source"]) == (asset_id, 120.0, None)
    assert f"simulated/{asset_id}" in front.files()
    assert not {key for key in front.media_files() if asset_id in key}


def test_every_channel_gets_its_copy_of_the_one_publish(front, client):
    answer = client.post("/media/upload", json={"assetId": f"demo-{uuid4().hex}", "ownerId": "u-1"})
    event_id = answer.json()["eventId"]
    for channel in ("thumbnail", "transcode", "subtitle"):
        assert event_id in [event["eventId"] for _, event in queue_messages(front.amqp_url, f"media.{channel}")]


def test_curl_works_as_the_readme_says(front, tmp_path, clip):
    name = tmp_path / 'we"ird na;me.mp4'
    name.write_bytes(clip)
    url = f"{front.url}/media/upload"
    ways = (
        ["--data-binary", f"@{name}", "-H", "Content-Type: video/mp4", f"{url}?filename=holiday.mp4"],
        ["-F", f'file=@"{str(name).replace(chr(34), chr(92) + chr(34))}"', url],
        ["-X", "POST", "-T", str(name), "-H", "Content-Type: video/mp4", f"{url}?filename=holiday.mp4"],
        ["-X", "POST", "-T", "-", "-H", "Content-Type: video/mp4", f"{url}?filename=chunked.mp4"],
        ["-d", f'{{"assetId":"curl-{uuid4().hex}","ownerId":"u-1"}}', "-H", "Content-Type: application/json", url],
    )
    for way in ways:
        said = subprocess.run(["curl", "-sS", *way], input=clip, capture_output=True, timeout=30, check=True).stdout
        assert json.loads(said)["status"] == "queued", said


def test_without_a_name_and_type_the_file_is_still_taken(client, clip):
    answer = client.post("/media/upload", content=clip)
    source = _asset(client, answer)["source"]
    assert (source["fileName"], source["contentType"]) == (None, "application/octet-stream")


def test_the_name_may_come_in_content_disposition(client, clip):
    headers = {"Content-Disposition": "attachment; filename*=UTF-8''%F0%9F%8F%96.mp4", "Content-Type": "video/mp4"}
    assert _asset(client, client.post("/media/upload", content=clip, headers=headers))["source"]["fileName"] == "🏖.mp4"


@pytest.mark.parametrize(
    "name",
    [
        "with space.mp4",
        "quote'and\"double.mp4",
        "a:b.mp4",
        "-dash.mp4",
        "two\nlines.mp4",
        "🏖️.mp4",
        "../../../etc/passwd",
        "ö" * 150,
        "x" * 300,
        "%2e%2e%2f",
        "<img src=x onerror=alert(1)>.mp4",
    ],
)
def test_an_odd_name_is_metadata_only_and_comes_back_in_the_download(front, client, clip, name):
    before = front.media_files()
    answer = client.post("/media/upload", params={"filename": name}, content=clip)
    asset = _asset(client, answer)
    prefix = f"assets/{asset['assetId']}"
    assert front.media_files() - before == {f"{prefix}/source", f"{prefix}/asset.json"}
    shown = asset["source"]["fileName"]
    assert len(shown.encode()) <= 255
    assert "/" not in shown
    assert "\n" not in shown
    download = client.get(asset["source"]["url"])
    assert download.content == clip
    assert download.headers["Content-Disposition"].startswith("attachment; ")
    page = client.get(answer.headers["Location"], headers={"Accept": "text/html"}).text
    assert "<img src=x" not in page


def test_the_same_file_twice_is_two_assets(client, clip):
    answers = [client.post("/media/upload", content=clip).json() for _ in range(2)]
    assert len({answer["assetId"] for answer in answers}) == 2


def test_the_same_asset_with_the_same_content_is_the_same_event_again(front, client, clip):
    url = f"/media/upload?assetId=same-{uuid4().hex}"
    first, second = (client.post(url, content=clip).json() for _ in range(2))
    assert first == second
    assert [event["eventId"] for _, event in queue_messages(front.amqp_url)] == [first["eventId"]] * 2


def test_the_same_simulated_asset_is_the_same_event_again(front, client):
    upload = {"assetId": f"same-{uuid4().hex}", "ownerId": "u-1", "durationSec": 1}
    first, second = (client.post("/media/upload", json=upload).json() for _ in range(2))
    assert first == second
    bodies = [event for _, event in queue_messages(front.amqp_url)]
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize(
    "change", [{"content": b"other"}, {"params": {"ownerId": "other"}}, {"params": {"durationSec": 9}}]
)
def test_the_same_asset_with_other_content_is_409_and_the_first_stays(front, client, clip, change):
    asset_id = f"conflict-{uuid4().hex}"
    assert client.post("/media/upload", params={"assetId": asset_id}, content=clip).status_code == 202
    before = front.files()
    again = {"content": clip, **change}
    again["params"] = {"assetId": asset_id, **change.get("params", {})}
    answer = client.post("/media/upload", **again)
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:mediaflow:problem:asset-conflict"
    assert front.files() == before
    assert client.get(f"/media/{asset_id}/source").content == clip


def test_a_simulated_asset_does_not_take_the_place_of_a_real_one(client, clip):
    asset_id = f"conflict-{uuid4().hex}"
    client.post("/media/upload", params={"assetId": asset_id}, content=clip)
    assert client.post("/media/upload", json={"assetId": asset_id, "ownerId": "anonymous"}).status_code == 409


@pytest.mark.parametrize("cut", [0, 1, 100, 5000, 700_000])
def test_a_large_body_is_stored_byte_for_byte_however_it_comes(front, cut):
    """Part of it comes with its head, the rest through the kernel, and the next request right behind it."""
    content = os.urandom(900_000)
    head = (
        f"POST /media/upload HTTP/1.1\r\nHost: x\r\nContent-Type: video/mp4\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    with front.connect() as connection:
        connection.sendall(head.encode() + content[:cut])
        connection.sendall(content[cut:] + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answers = b""
        while piece := connection.recv(65536):
            answers += piece
    assert [answers.count(b"HTTP/1.1 202"), answers.count(b"HTTP/1.1 200")] == [1, 1]
    [(_, event)] = queue_messages(front.amqp_url)
    assert event["source"]["size"] == len(content)
    assert event["source"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert (front.store_root / event["source"]["key"]).read_bytes() == content


def test_requests_sent_in_one_go_are_answered_one_by_one(front, clip):
    json_body = f'{{"assetId":"pipe-{uuid4().hex}","ownerId":"u-1"}}'.encode()
    head = "POST /media/upload HTTP/1.1\r\nHost: x\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
    requests = [("video/mp4", clip), ("application/json", json_body), ("video/mp4", clip[:10])]
    stream = b"".join(head.format(kind, len(body)).encode() + body for kind, body in requests)
    with front.connect() as connection:
        connection.sendall(stream + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answers = b""
        while piece := connection.recv(65536):
            answers += piece
    assert [answers.count(b"HTTP/1.1 202"), answers.count(b"HTTP/1.1 200")] == [3, 1]
