"""One upload in; poster, storyboard, HLS and subtitles out."""

import json
import os
import re
import signal
import subprocess
from itertools import pairwise

import pytest

pytestmark = pytest.mark.slow

ENDED = ("done", "dead-lettered")
CHANNELS = {"thumbnail", "transcode", "subtitle"}
DURATION_S = 33


def ended(asset) -> bool:
    return set(asset["channels"]) == CHANNELS and all(each["state"] in ENDED for each in asset["channels"].values())


def seconds(timestamp: str) -> float:
    *hours, minutes, rest = timestamp.split(":")
    return int(hours[0] if hours else 0) * 3600 + int(minutes) * 60 + float(rest)


@pytest.fixture(scope="module")
def fleet(new_fleet):
    fleet = new_fleet({"MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true"})
    fleet.mediaflow("up")
    return fleet


@pytest.fixture(scope="module")
def asset(fleet, clip):
    """The clip, uploaded and done."""
    status, headers, body = fleet.post("/media/upload?filename=clip.mp4", clip.read_bytes(), "video/mp4")
    assert status == 202
    assert headers["Location"] == f"/media/{body['assetId']}"
    assert body["eventId"]
    asset = fleet.wait_for(body["assetId"], ended)
    assert {name: each["state"] for name, each in asset["channels"].items()} == dict.fromkeys(CHANNELS, "done"), asset
    return asset


def test_the_master_playlist_plays_with_picture_sound_and_subtitles(fleet, asset):
    address = f"{fleet.url}/media/{asset['assetId']}/transcode/master.m3u8"
    probed = subprocess.run(
        ["ffprobe", "-v", "error", "-print_format", "json", "-show_format", "-show_streams", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    report = json.loads(probed.stdout)
    kinds = {stream["codec_type"] for stream in report["streams"]}
    assert {"video", "audio"} <= kinds
    assert float(report["format"]["duration"]) == pytest.approx(DURATION_S, abs=0.5)
    master = fleet.get(f"/media/{asset['assetId']}/transcode/master.m3u8").decode()
    assert "CODECS=" in master
    assert "RESOLUTION=" in master
    assert re.search(r'TYPE=SUBTITLES.*URI="\.\./subtitle/', master)


def test_its_segments_decode_to_the_last_frame(fleet, asset):
    address = f"{fleet.url}/media/{asset['assetId']}/transcode/master.m3u8"
    decoded = subprocess.run(
        [
            *["ffmpeg", "-v", "error", "-nostdin", "-i"],
            address,
            *["-map", "0:v:0", "-map", "0:a:0", "-f", "null", "-progress", "-", "-"],
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert decoded.stderr == ""
    last = re.findall(r"out_time_ms=(\d+)", decoded.stdout)[-1]
    assert int(last) / 1e6 == pytest.approx(DURATION_S, abs=0.5)


def test_the_storyboard_covers_the_clip_and_its_pictures_are_there(fleet, asset):
    folder = f"/media/{asset['assetId']}/thumbnail"
    storyboard = fleet.get(f"{folder}/storyboard.vtt").decode()
    assert storyboard.startswith("WEBVTT")
    cues = re.findall(r"(\S+) --> (\S+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)", storyboard)
    assert seconds(cues[0][0]) == 0
    assert seconds(cues[-1][1]) == pytest.approx(DURATION_S, abs=0.5)
    assert all(earlier[1] == later[0] for earlier, later in pairwise(cues))
    for sprite in {cue[2] for cue in cues}:
        assert fleet.get(f"{folder}/{sprite}").startswith(b"\xff\xd8")
    assert fleet.get(f"{folder}/poster.jpg").startswith(b"\xff\xd8")


def test_the_subtitles_say_what_is_said(fleet, asset):
    outputs = asset["channels"]["subtitle"]["outputs"]
    text = " ".join(fleet.get(each["url"]).decode() for each in outputs if each["name"].endswith(".vtt")).lower()
    assert "webvtt" in text
    heard = {"leisure", "prudently", "respectable", "young man"} & set(re.findall(r"young man|[a-z]+", text))
    assert len(heard) >= 2, text


def test_outputs_are_served_in_ranges(fleet, asset):
    url = f"{fleet.url}/media/{asset['assetId']}/thumbnail/poster.jpg"
    done = subprocess.run(["curl", "-sf", "-r", "0-1", url], capture_output=True, timeout=60, check=True)
    assert done.stdout == b"\xff\xd8"


def test_a_worker_killed_in_mid_job_costs_nothing(fleet, clip):
    asset_id = fleet.upload(clip)
    fleet.wait_for(asset_id, lambda asset: asset["channels"]["transcode"]["state"] == "running")
    os.kill(fleet.status()["processes"]["transcode-1"]["pid"], signal.SIGKILL)

    asset = fleet.wait_for(asset_id, ended)

    assert {name: each["state"] for name, each in asset["channels"].items()} == dict.fromkeys(CHANNELS, "done")
    worker = fleet.status()["processes"]["transcode-1"]
    assert worker["restarts"] >= 1
    assert worker["reason"].startswith("killed by SIGKILL")
    assert fleet.get(f"/media/{asset_id}/transcode/master.m3u8").startswith(b"#EXTM3U")


def test_run_through_a_fleet_that_is_up_shows_progress_and_what_was_made(fleet):
    said = fleet.mediaflow("run")
    for channel in CHANNELS:
        assert re.search(rf"^ +{channel} +done", said, re.MULTILINE), said
    addresses = re.findall(rf"{fleet.url}/media/[^/\s]+/\S+/\S+", said)
    assert len(addresses) >= 6
    for address in addresses:
        assert fleet.get(address.removeprefix(fleet.url))
    assert "curl --data-binary @holiday.mp4" in said


def test_a_file_that_is_no_video_ends_with_its_reason_and_a_failure(fleet, tmp_path):
    fake = tmp_path / "holiday.mp4"
    fake.write_text("this is a text file\n" * 100)
    said = fleet.mediaflow("run", str(fake), code=1)
    for channel in CHANNELS:
        assert re.search(rf"^{channel}: dead-lettered: .{{10,}}", said, re.MULTILINE), said
    # The broker's figures are a second or two old.
    fleet.until(lambda: fleet.dead_letters() == dict.fromkeys(CHANNELS, 1))


def test_the_articles_json_is_a_simulated_asset(fleet):
    order = json.dumps({"assetId": "demo-001", "ownerId": "u-1", "durationSec": 120}).encode()
    status, _, body = fleet.post("/media/upload", order, "application/json")
    assert (status, body["assetId"]) == (202, "demo-001")
    asset = fleet.wait_for("demo-001", ended)
    assert asset["source"] is None
    assert {name: each["outputs"] for name, each in asset["channels"].items()} == {name: [] for name in CHANNELS}
