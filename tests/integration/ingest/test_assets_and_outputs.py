"""What is shown of an asset, and its files."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

EMAIL_SIZED = b"0123456789"


@pytest.fixture
def asset(client, clip):
    return client.post("/media/upload", params={"filename": "clip.mp4"}, content=clip).json()["assetId"]


def _write(front, key, content):
    path = front.store_root / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def _moment(seconds=0):
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def _finish(front, asset_id, channel="transcode", outputs=(), details=None):
    for name, content in outputs:
        _write(front, f"assets/{asset_id}/{channel}/{name}", content)
    listed = [{"name": name, "size": len(content), "contentType": "text/html"} for name, content in outputs]
    result = {"eventId": "e", "channel": channel, "outputs": listed, "details": details or {}, "attempt": 1}
    result |= {"startedAt": _moment(-5), "finishedAt": _moment(), "simulated": False}
    _write(front, f"assets/{asset_id}/{channel}/result.json", result)


def test_an_asset_shows_each_channels_state_error_outputs_and_times(front, client, asset):
    assert {channel["state"] for channel in client.get(f"/media/{asset}").json()["channels"].values()} == {"queued"}
    _finish(front, asset, "transcode", [("720p/index.m3u8", b"#EXTM3U"), ("odd name.bin", b"x")])
    progress = {"eventId": "e", "state": "running", "percent": 43.0, "step": "reading", "attempt": 2}
    progress |= {"worker": "w", "startedAt": _moment(-9), "updatedAt": _moment(-8)}
    _write(front, f"assets/{asset}/thumbnail/progress.json", progress)
    failure = {"eventId": "e", "channel": "subtitle", "reason": "rejected", "errorClass": "BadMedia"}
    failure |= {"message": "no <b>moov</b>", "permanent": True, "attempts": 1, "worker": "w", "failedAt": _moment()}
    _write(front, f"assets/{asset}/subtitle/failure.json", failure)
    _write(front, f"assets/{asset}/preview/progress.json", progress)

    shown = client.get(f"/media/{asset}").json()
    channels = shown["channels"]
    assert shown["status"] == "running"
    assert {name: channel["state"] for name, channel in channels.items()} == {
        "thumbnail": "running",
        "transcode": "done",
        "subtitle": "dead-lettered",
        "preview": "running",
    }
    assert (channels["thumbnail"]["percent"], channels["thumbnail"]["attempt"]) == (43.0, 2)
    assert channels["subtitle"]["error"]["errorClass"] == "BadMedia"
    assert channels["subtitle"]["error"]["permanent"] is True
    assert [output["url"] for output in channels["transcode"]["outputs"]] == [
        f"/media/{asset}/transcode/720p/index.m3u8",
        f"/media/{asset}/transcode/odd%20name.bin",
    ]
    assert 4 < channels["transcode"]["elapsedSec"] < 6

    page = client.get(f"/media/{asset}", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src 'self';" in page.headers["Content-Security-Policy"]
    assert "unsafe-inline" not in page.headers["Content-Security-Policy"]
    assert "no &lt;b&gt;moov&lt;/b&gt;" in page.text
    assert "<b>moov" not in page.text


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html;q=0.9", "text/plain"])
def test_programs_get_json(client, asset, accept):
    answer = client.get(f"/media/{asset}", headers={"Accept": accept} if accept else {})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Vary"] == "Accept"


def test_the_list_is_newest_first_and_pages_give_every_asset_once(client, clip):
    made = [client.post("/media/upload", content=clip).json()["assetId"] for _ in range(3)]
    for number in range(4):
        made.append(f"list-{uuid4().hex}-{number}")
        client.post("/media/upload", json={"assetId": made[-1], "ownerId": "u-1"})
    found, url = [], "/media?limit=3"
    while url and len(found) < 7:
        page = client.get(url).json()
        found += [entry["assetId"] for entry in page["assets"]]
        url = page["next"]
    assert set(found[:7]) == set(made)
    assert found[4:7] == made[2::-1]
    whole = [entry["assetId"] for entry in client.get("/media?limit=500").json()["assets"]]
    assert len(whole) == len(set(whole))
    times = [entry["uploadedAt"] for entry in client.get("/media").json()["assets"]]
    assert times == sorted(times, reverse=True)
    assert client.get("/media?include=status&limit=1").json()["assets"][0]["status"] == "queued"


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "cursor=x", "cursor=../../x.json:1"])
def test_a_bad_page_is_422(client, query):
    assert client.get(f"/media?{query}").status_code == 422


def test_the_list_is_a_page_for_people_and_the_root_leads_there(client, asset):
    assert client.get("/").headers["Location"] == "/media"
    page = client.get("/media", headers={"Accept": "text/html"})
    assert f'href="/media/{asset}"' in page.text
    assert "clip.mp4" in page.text


def test_a_bursts_assets_have_an_address_of_their_own(client):
    report = client.post("/media/burst", content=b'{"count": 250}').json()
    assert (report["accepted"], report["confirmed"]) == (250, 250)
    assert (report["unroutable"], report["nacked"], report["unknown"]) == (0, 0, 0)
    newest = client.get("/media?limit=2").json()["assets"]
    assert newest[0]["assetId"] == f"{report['burstId']}-000250"
    shown = client.get(newest[0]["url"]).json()
    assert (shown["ownerId"], shown["source"], shown["status"]) == ("burst", None, "queued")
    assert client.get(f"/media/{report['burstId']}-000251").status_code == 404
    assert client.get(f"/media/{report['burstId']}-000000").status_code == 404


def test_an_output_is_served_with_ranges_and_validators(front, client, asset):
    _finish(front, asset, outputs=[("v/seg-1.m4s", b"0123456789" * 100_000)])
    url = f"/media/{asset}/transcode/v/seg-1.m4s"
    whole = client.get(url)
    assert (whole.status_code, len(whole.content)) == (200, 1_000_000)
    assert whole.headers["Content-Type"] == "video/iso.segment"
    assert whole.headers["Accept-Ranges"] == "bytes"
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    assert "max-age" in whole.headers["Cache-Control"]
    etag, modified = whole.headers["ETag"], whole.headers["Last-Modified"]

    def get(**headers):
        return client.get(url, headers={name.replace("_", "-"): value for name, value in headers.items()})

    part = get(Range="bytes=10-19")
    assert (part.status_code, part.content) == (206, b"0123456789")
    assert part.headers["Content-Range"] == "bytes 10-19/1000000"
    assert get(Range="bytes=-3").content == b"789"
    assert get(Range="bytes=999998-").content == b"89"
    assert get(Range="bytes=0-1,4-5").status_code == 200
    beyond = get(Range="bytes=1000000-")
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, "bytes */1000000")
    assert beyond.headers["Content-Type"] == "application/problem+json"
    assert get(Range="bytes=0-1", If_Range=etag).status_code == 206
    assert get(Range="bytes=0-1", If_Range=modified).status_code == 206
    assert get(Range="bytes=0-1", If_Range='"other"').status_code == 200
    assert get(If_None_Match=etag).status_code == 304
    assert get(If_None_Match=f"W/{etag}").status_code == 304
    assert get(If_Modified_Since=modified).status_code == 304
    assert get(If_None_Match='"other"', If_Modified_Since=modified).status_code == 200
    head = client.head(url)
    assert (head.status_code, head.headers["Content-Length"], head.content) == (200, "1000000", b"")
    assert client.head(url, headers={"Range": "bytes=0-9"}).headers["Content-Length"] == "10"


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("master.m3u8", "application/vnd.apple.mpegurl"),
        ("en/subtitles.vtt", "text/vtt"),
        ("poster.jpg", "image/jpeg"),
        ("audio.m4a", "audio/mp4"),
        ("words.json", "application/json"),
        ("page.html", "application/octet-stream"),
        ("picture.svg", "application/octet-stream"),
    ],
)
def test_types_come_from_the_name_and_nothing_is_ever_a_page(front, client, asset, name, content_type):
    _finish(front, asset, outputs=[(name, b"<script>alert(1)</script>")])
    answer = client.get(f"/media/{asset}/transcode/{name}")
    assert answer.headers["Content-Type"].partition(";")[0] == content_type
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_the_playlist_written_after_the_result_is_served_and_revalidated(front, client, asset):
    _finish(front, asset, outputs=[("720p/index.m3u8", b"#EXTM3U")])
    assert client.get(f"/media/{asset}/transcode/master.m3u8").status_code == 404
    _write(front, f"assets/{asset}/transcode/master.m3u8", b"#EXTM3U")
    answer = client.get(f"/media/{asset}/transcode/master.m3u8")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")


def test_a_channel_that_is_not_done_serves_nothing(front, client, asset):
    _write(front, f"assets/{asset}/transcode/720p/index.m3u8", b"#EXTM3U")
    assert client.get(f"/media/{asset}/transcode/720p/index.m3u8").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "transcode/result.json",
        "transcode/progress.json",
        "transcode/failure.json",
        "transcode/claim.json",
        "transcode/unlisted.bin",
        "transcode/../asset.json",
        "transcode/%2e%2e/asset.json",
        "transcode/..%2fasset.json",
        "transcode/v/../../asset.json",
        "transcode//etc/passwd",
        "transcode/%2fetc%2fpasswd",
        "transcode/..%5casset.json",
        "transcode/a%00b",
        "asset.json",
        "../../etc/passwd",
        "transcode/",
        "transcode",
        "no-channel/poster.jpg",
        "TRANSCODE/out.bin",
    ],
)
def test_nothing_else_of_the_store_can_be_reached(front, client, asset, path):
    _finish(front, asset, outputs=[("out.bin", b"x")])
    for name in ("progress.json", "failure.json", "claim.json", "unlisted.bin"):
        _write(front, f"assets/{asset}/transcode/{name}", b"{}")
    with front.connect() as connection:  # as it stands: clients tidy such paths up before they send them
        connection.sendall(f"GET /media/{asset}/{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 404"), answer
    assert b"application/problem+json" in answer


def test_the_uploaded_file_can_be_downloaded_under_its_name_in_parts_too(client, clip):
    posted = client.post(
        "/media/upload", params={"filename": "grüße.mp4"}, content=clip, headers={"Content-Type": "video/mp4"}
    )
    url = posted.headers["Location"] + "/source"
    answer = client.get(url)
    assert answer.content == clip
    assert answer.headers["Content-Type"] == "video/mp4"
    assert answer.headers["Content-Disposition"].endswith("filename*=UTF-8''gr%C3%BC%C3%9Fe.mp4")
    assert client.get(url, headers={"Range": "bytes=1-3"}).content == clip[1:4]


def test_a_simulated_asset_has_no_download(client):
    asset_id = f"demo-{uuid4().hex}"
    client.post("/media/upload", json={"assetId": asset_id, "ownerId": "u-1"})
    assert client.get(f"/media/{asset_id}/source").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "watch.js",
        "player.js",
        "storyboard.js",
        "upload.js",
        "docs.js",
        "style.css",
        "icon.svg",
        "vendor/hls-1.7.4.LICENSE.txt",
    ],
)
def test_the_pages_own_files_are_served(client, path):
    assert client.get(f"/static/{path}").status_code == 200
