"""What runs in the pod of `helm test`, against a front door that is played."""

import json
import runpy
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mq_common.channels import load_channels
from mq_common.simulation import fails

FILES = Path(__file__).resolve().parents[3] / "charts" / "mediaflow" / "files"
PACKAGED = Path(__import__("mq_common").__file__).with_name("channels.toml")
CHANNELS = ("thumbnail", "transcode", "subtitle")


class FrontDoor:
    """Answers as ingest does; `busy` answers of 503 come first."""

    def __init__(self) -> None:
        self.busy = 0
        self.states = dict.fromkeys(CHANNELS, "done")
        self.uploads: list[tuple[str, bytes, str]] = []
        self.fetched: list[str] = []

    def answer(self, method: str, path: str, body: bytes, headers: Any) -> tuple[int, Any]:
        if self.busy:
            self.busy -= 1
            return 503, {"title": "busy"}
        if method == "POST":
            self.uploads.append((headers["Content-Type"], body, headers["Idempotency-Key"]))
            return 202, {"assetId": "a-1", "status": "queued"}
        if path == "/media/a-1":
            told = {
                name: {"state": state, "error": {"message": "why"}, "outputs": [{"url": f"/media/a-1/{name}/x"}]}
                for name, state in self.states.items()
            }
            return 200, {"channels": told}
        self.fetched.append(path)
        return 200, {}


@pytest.fixture
def door() -> Iterator[tuple[FrontDoor, str]]:
    played = FrontDoor()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, told = played.answer(self.command, self.path, body, self.headers)
            text = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield played, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def run(door: tuple[FrontDoor, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """Run the script as the pod does, with or without the clip beside it; gives its exit code."""

    def run(*, clip: bool = True, limit: str = "20", profile: str = "media") -> int:
        for file in FILES.iterdir():
            if clip or file.suffix == ".py":
                (tmp_path / file.name).write_bytes(file.read_bytes())
        found = {"INGEST_URL": door[1], "CONSOLE_URL": door[1], "TIME_LIMIT_S": limit, "MEDIAFLOW_PROFILE": profile}
        for name, value in (found | {"MEDIAFLOW_CHANNELS": str(PACKAGED)}).items():
            monkeypatch.setenv(name, value)
        script = runpy.run_path(str(tmp_path / "upload.py"))
        monkeypatch.setitem(script["main"].__globals__, "POLL_S", 0.01)
        return int(script["main"]())

    return run


def test_a_clip_goes_in_and_every_result_is_fetched(door: tuple[FrontDoor, str], run: Callable[..., int]) -> None:
    door[0].busy = 3

    assert run() == 0
    ((kind, body, _),) = door[0].uploads
    assert (kind, body) == ("video/mp4", (FILES / "clip.mp4").read_bytes())
    assert {f"/media/a-1/{name}/x" for name in CHANNELS} <= set(door[0].fetched)


def test_without_a_clip_it_is_an_asset_that_no_pretended_provider_fails(
    door: tuple[FrontDoor, str], run: Callable[..., int]
) -> None:
    for _ in range(30):
        assert run(clip=False, profile="simulated") == 0

    for kind, body, _ in door[0].uploads:
        assert kind == "application/json"
        asset = json.loads(body)["assetId"]
        for name, spec in load_channels(profile="simulated").items():
            assert not fails(name, asset, spec.simulated.failure_rate)
    assert len({key for _, _, key in door[0].uploads}) == 30


def test_a_channel_that_gives_up_is_named(
    door: tuple[FrontDoor, str], run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    door[0].states["subtitle"] = "dead-lettered"

    assert run() == 1
    assert "subtitle gave the asset up: {'message': 'why'}" in capsys.readouterr().out


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_channel_that_takes_too_long_is_named(
    door: tuple[FrontDoor, str], run: Callable[..., int], capsys: pytest.CaptureFixture[str], state: str
) -> None:
    door[0].states["transcode"] = state

    assert run(limit="0.2") == 1
    assert f"'transcode': '{state}'" in capsys.readouterr().out


def test_a_front_door_that_stays_closed_is_a_failure(
    door: tuple[FrontDoor, str], run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    door[0].busy = 10**9

    assert run(limit="0.2") == 1
    assert "/readyz: 503" in capsys.readouterr().out


def test_the_clip_is_small_enough_to_ride_in_the_release() -> None:
    assert (FILES / "clip.mp4").stat().st_size < 20_000
