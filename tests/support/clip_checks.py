"""What becomes of the bundled clip, whatever the fleet runs on."""

import json
import re
import subprocess
from itertools import pairwise

import pytest

ENDED = ("done", "dead-lettered")
CHANNELS = {"thumbnail", "transcode", "subtitle"}
DURATION_S = 33


def ended(asset) -> bool:
    return set(asset["channels"]) == CHANNELS and all(each["state"] in ENDED for each in asset["channels"].values())


def seconds(timestamp: str) -> float:
    *hours, minutes, rest = timestamp.split(":")
    return int(hours[0] if hours else 0) * 3600 + int(minutes) * 60 + float(rest)


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


class ClipChecks:
    """For a class of tests; its module brings ``fleet`` and takes ``asset`` from here."""

    def test_the_master_playlist_plays_with_picture_sound_and_subtitles(self, fleet, asset):
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

    def test_its_segments_decode_to_the_last_frame(self, fleet, asset):
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

    def test_the_storyboard_covers_the_clip_and_its_pictures_are_there(self, fleet, asset):
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

    def test_the_subtitles_say_what_is_said(self, fleet, asset):
        outputs = asset["channels"]["subtitle"]["outputs"]
        text = " ".join(fleet.get(each["url"]).decode() for each in outputs if each["name"].endswith(".vtt")).lower()
        assert "webvtt" in text
        heard = {"leisure", "prudently", "respectable", "young man"} & set(re.findall(r"young man|[a-z]+", text))
        assert len(heard) >= 2, text

    def test_outputs_are_served_in_ranges(self, fleet, asset):
        url = f"{fleet.url}/media/{asset['assetId']}/thumbnail/poster.jpg"
        done = subprocess.run(["curl", "-sf", "-r", "0-1", url], capture_output=True, timeout=60, check=True)
        assert done.stdout == b"\xff\xd8"

    def test_the_articles_json_is_a_simulated_asset(self, fleet):
        order = json.dumps({"assetId": "demo-001", "ownerId": "u-1", "durationSec": 120}).encode()
        status, _, body = fleet.post("/media/upload", order, "application/json")
        assert (status, body["assetId"]) == (202, "demo-001")
        asset = fleet.wait_for("demo-001", ended)
        assert asset["source"] is None
        assert {name: each["outputs"] for name, each in asset["channels"].items()} == {name: [] for name in CHANNELS}
