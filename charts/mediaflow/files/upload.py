"""What `helm test` runs in a pod: one upload through the front door, and its result in every channel.

By HTTP alone. A short clip where one lies beside this file, otherwise an asset without a file, one that no channel's
pretended provider fails. Exit code 0: everything that was promised is there; 1: the last line says what is missing.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mq_common.channels import ChannelSpec, load_channels
from mq_common.simulation import fails

CLIP = Path(__file__).with_name("clip.mp4")
#: Seconds between looks, and for one answer.
POLL_S, ANSWER_S = 2.0, 30.0
#: Answers that mean "come again".
BUSY = (429, 502, 503, 504)


class Failed(Exception):
    """The release does not do what it should."""


class Door:
    """Asks until there is an answer or the time is over."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def ask(self, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
        """Give the answer's body. Raises Failed for a refusal, and when nobody answered in time."""
        while True:
            try:
                request = urllib.request.Request(url, body, dict(headers or {}))
                with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                said = f"{url}: {error.code} {error.read(500).decode(errors='replace')}"
                if error.code not in BUSY:
                    raise Failed(said) from None
            except OSError as error:
                said = f"{url}: {error}"
            self.wait(said)

    def wait(self, why: str) -> None:
        """Wait a moment. Raises Failed when there is no time left."""
        if time.monotonic() > self._deadline:
            raise Failed(f"not within the time limit: {why}")
        time.sleep(POLL_S)


def working_asset(channels: Mapping[str, ChannelSpec]) -> str:
    """Give the id of an asset that no pretended provider fails."""
    while True:
        asset_id = f"helm-test-{uuid.uuid4().hex[:12]}"
        if not any(fails(name, asset_id, spec.simulated.failure_rate) for name, spec in channels.items()):
            return asset_id


def upload(door: Door, ingest: str, channels: Mapping[str, ChannelSpec]) -> str:
    """Upload; gives the asset's id. A repetition after a lost answer is the same upload."""
    once = {"Idempotency-Key": f"helm-test-{uuid.uuid4()}"}
    if CLIP.exists():
        url, body, kind = f"{ingest}/media/upload?filename=clip.mp4", CLIP.read_bytes(), "video/mp4"
    else:
        asset = {"assetId": working_asset(channels), "ownerId": "helm-test", "durationSec": 3}
        url, body, kind = f"{ingest}/media/upload", json.dumps(asset).encode(), "application/json"
    answer = json.loads(door.ask(url, body, once | {"Content-Type": kind}))
    print(f"uploaded {answer['assetId']}: {answer['status']}", flush=True)
    return str(answer["assetId"])


def await_results(door: Door, ingest: str, asset_id: str, channels: Mapping[str, ChannelSpec]) -> dict[str, Any]:
    """Wait until every channel is done; gives them. Raises Failed when one gives up, or takes too long."""
    while True:
        found = json.loads(door.ask(f"{ingest}/media/{asset_id}"))["channels"]
        states = {name: found.get(name, {}).get("state", "unknown") for name in channels}
        if given_up := [name for name, state in states.items() if state == "dead-lettered"]:
            raise Failed(f"{given_up[0]} gave the asset up: {found[given_up[0]].get('error')}")
        if set(states.values()) == {"done"}:
            return dict(found)
        door.wait(f"channels of {asset_id}: {states}")


def main() -> int:
    """Run; gives the exit code."""
    channels = load_channels(Path(os.environ["MEDIAFLOW_CHANNELS"]), os.environ["MEDIAFLOW_PROFILE"])
    ingest, console = os.environ["INGEST_URL"], os.environ.get("CONSOLE_URL")
    door = Door(time.monotonic() + float(os.environ["TIME_LIMIT_S"]))
    try:
        door.ask(f"{ingest}/readyz")
        if console:
            door.ask(f"{console}/readyz")
        asset_id = upload(door, ingest, channels)
        for name, channel in await_results(door, ingest, asset_id, channels).items():
            outputs = channel.get("outputs", [])
            for output in outputs:
                door.ask(f"{ingest}{output['url']}")
            print(f"{name}: done, {len(outputs)} outputs", flush=True)
    except Failed as failure:
        print(f"failed: {failure}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
