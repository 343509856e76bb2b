"""Scenario 1: one upload, three channels."""

import ast
from collections.abc import Collection
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from mediaflow_scenarios.stage import Stage

#: A simulated transcode takes two seconds.
_LIMIT_S = 30.0

ASSET = "demo-001"


def run(stage: Stage) -> None:
    """Upload once; see one publish, three results, and an ingest that knows no channel's name."""
    fleet, page = stage.fleet, stage.page
    channels = list(fleet.channels)
    before = fleet.door.metrics()
    page.command(
        f"curl -X POST {fleet.door.url}/media/upload -H 'Content-Type: application/json' \\\n"
        f'    -d \'{{"assetId":"{ASSET}","ownerId":"u-1","durationSec":120}}\''
    )
    status, answer = fleet.door.upload(ASSET)
    page.say(f"{status} {answer}")
    for channel in channels:
        fleet.await_ends(channel, [ASSET], _LIMIT_S)

    asset = fleet.door.asset(ASSET)
    uploaded = datetime.fromisoformat(asset["uploadedAt"])
    done = {name: each for name, each in asset["channels"].items() if each["state"] == "done"}
    after = {
        name: (datetime.fromisoformat(each["finishedAt"]) - uploaded).total_seconds() for name, each in done.items()
    }
    page.command("mediaflow logs | grep job_committed")
    page.table(
        ("channel", "asset", "done after"),
        [(name, f"assetId={ASSET}", f"{after[name]:.2f} s") for name in sorted(done, key=after.__getitem__)],
    )

    counts = fleet.door.metrics()
    published = counts.total("mediaflow_published_total") - before.total("mediaflow_published_total")
    confirmed = _confirmed(counts) - _confirmed(before)
    stage.expect(status == 202, "the upload is answered 202", status)
    stage.expect((published, confirmed) == (1, 1), "one publish, confirmed", f"{published:.0f}")
    stage.expect(list(done) == channels, "three results", ", ".join(done))
    named = channels_named_in("ingest", channels)
    stage.expect(not named, "ingest's code names no channel", ", ".join(named))


def _confirmed(samples) -> float:
    return samples.total("mediaflow_published_total", outcome="confirmed")


def channels_named_in(package: str, channels: Collection[str]) -> list[str]:
    """Give the places where the code of an installed package has a channel's or its queue's name as a value."""
    names = {*channels, *(f"media.{each}" for each in channels), *(f"media.{each}.dlq" for each in channels)}
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations
    found = []
    for file in sorted(Path(spec.submodule_search_locations[0]).rglob("*.py")):
        constants = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant))
        found += [(file.name, node.lineno) for node in constants if node.value in names]
    return [f"{name}:{line}" for name, line in sorted(found)]
