"""Sends a clip through the running fleet, shows its way, and says what came out."""

import time
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.filesize import decimal

from local_fleet.asset_api import Asset, AssetApi
from local_fleet.errors import FleetError
from local_fleet.progress import progress_view

#: How often the asset is looked at, in seconds.
_POLL_S = 0.25

#: Without any change for this long something is wrong, in seconds.
_PATIENCE_S = 600.0

_ENDED = ("done", "dead-lettered")


def bundled_clip() -> Path:
    """Give the path of the clip that ships with the package: 33 s with speech."""
    return Path(str(resources.files("local_fleet").joinpath("clips/speech_clip.mp4")))


def run_clip(clip: Path, url: str, expected: frozenset[str], console: Console) -> bool:
    """Upload `clip` to ingest at `url` and follow it until every channel has ended.

    `expected` names the channels that must be there. True when all are done, False when one gave up.
    Raises FleetError when ingest refuses, or when nothing moves any more.
    """
    api = AssetApi(url)
    console.print(f"uploading {clip.name} ({decimal(clip.stat().st_size)}) to {url}/media/upload")
    asset_id = api.upload(clip)
    asset = _follow(api, asset_id, expected, console)
    channels: Mapping[str, Mapping[str, Any]] = asset["channels"]
    for name, channel in channels.items():
        _print_channel(name, channel, url, console)
    done = all(channel["state"] == "done" for channel in channels.values())
    _print_addresses(f"{url}/media/{asset_id}", url, "transcode" in channels and done, console)
    return done


def _print_addresses(page: str, url: str, playable: bool, console: Console) -> None:
    lines = [("its page", page)]
    if playable:
        lines = [("watch it", page), ("or in a player", f"{page}/transcode/master.m3u8")]
    upload = f"'{url}/media/upload?filename=holiday.mp4'"
    lines.append(("send your own", f"curl --data-binary @holiday.mp4 -H 'Content-Type: video/mp4' {upload}"))
    console.print()
    for what, where in lines:
        console.print(f"{what + ':':<16} {where}", soft_wrap=True)


def _follow(api: AssetApi, asset_id: str, expected: frozenset[str], console: Console) -> Asset:
    seen: object = None
    moved = time.monotonic()
    with progress_view(console) as view:
        while True:
            asset = api.asset(asset_id)
            channels = asset["channels"]
            view.show(channels)
            if expected <= set(channels) and all(each["state"] in _ENDED for each in channels.values()):
                return asset
            if channels != seen:
                seen, moved = channels, time.monotonic()
            if time.monotonic() - moved > _PATIENCE_S:
                raise FleetError(f"nothing has moved for {_PATIENCE_S:.0f} s: see `mediaflow status` and its logs")
            time.sleep(_POLL_S)


def _print_channel(name: str, channel: Mapping[str, Any], url: str, console: Console) -> None:
    if channel["state"] != "done":
        error = channel.get("error") or {}
        reason = error.get("message") or "no reason given"
        console.print(f"\n{name}: {channel['state']}: {reason}", style="red", soft_wrap=True)
        return
    outputs = channel["outputs"]
    total = sum(each["size"] or 0 for each in outputs)
    console.print(f"\n{name}: {len(outputs)} files, {decimal(total)}")
    for each in _worth_listing(outputs):
        address = each["url"] if "://" in each["url"] else f"{url}{each['url']}"
        console.print(f"  {decimal(each['size'] or 0):>9}  {address}", soft_wrap=True)


def _worth_listing(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the segments of a stream: dozens of files that nobody opens by hand."""
    return [each for each in outputs if not each["name"].endswith((".m4s", ".ts", "init.mp4"))]
