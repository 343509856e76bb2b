"""Scenario 1b: a fourth channel, added while everything runs."""

from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from mediaflow_scenarios.patience import until
from mediaflow_scenarios.stage import Stage

_LIMIT_S = 30.0

BEFORE, AFTER = "before-preview", "after-preview"

#: What is added to the channels file. The worker is the package `preview` beside this one.
PREVIEW = """
[channels.preview]
delivery_limit = 5
job_time_limit_s = 60

[profiles.simulated.preview]
prefetch = 4
concurrency = 4
retries = { count = 1, initial_ms = 500, multiplier = 2.0, max_ms = 10000 }
workers = { min = 1, max = 2 }
messages_per_worker = 15
simulated = { latency_ms = 100, failure_rate = 0.0 }
"""


def run(stage: Stage) -> None:
    """Upload, add the channel, upload again: only the second asset reaches it, and nobody else noticed."""
    fleet, page = stage.fleet, stage.page
    three = list(fleet.channels)
    fleet.door.upload(BEFORE)
    for channel in three:
        fleet.await_ends(channel, [BEFORE], _LIMIT_S)
    _settle(stage)
    before = _births(stage)

    with _fourth_channel(stage):
        published = fleet.door.metrics().total("mediaflow_published_total")
        fleet.door.upload(AFTER)
        for channel in (*three, "preview"):
            fleet.await_ends(channel, [AFTER], _LIMIT_S)
        published = fleet.door.metrics().total("mediaflow_published_total") - published
        view = until(lambda: _whole(stage, AFTER), _LIMIT_S, "the preview at GET /media/<assetId>")
        page.command(f"curl {fleet.door.url}/media/{AFTER}")
        page.table(("channel", "state"), [(name, each["state"]) for name, each in view["channels"].items()])
        until(lambda: _is_idle(stage), _LIMIT_S, "the broker's figures of four empty queues with their consumers")
        stage.show_queues()

        after = _births(stage)
        stage.expect(published == 1, "still one publish for an upload", f"{published:.0f}")
        stage.expect(fleet.results.done("preview", [AFTER, BEFORE]) == {AFTER}, "preview has the next upload alone")
        earlier = fleet.door.asset(BEFORE)
        stage.expect(
            (earlier["status"], list(earlier["channels"])) == ("done", three), "the earlier asset is done as it was"
        )
        stage.expect(before["ingest"] == after["ingest"], "ingest runs on", _said(before["ingest"]))
        stage.expect(before == {name: after[name] for name in before}, "so does every other worker")
        stage.expect(
            {name: each["state"] for name, each in view["channels"].items()}
            == dict.fromkeys((*three, "preview"), "done"),
            "the asset shows four channels, all done",
        )


@contextmanager
def _fourth_channel(stage: Stage) -> Iterator[None]:
    """Add the channel, and take it away again with its queues."""
    fleet = stage.fleet
    fleet.write_channels(PREVIEW)
    stage.page.command("cat preview.toml >> channels.toml; mediaflow reload")
    stage.page.say(fleet.mediaflow("reload").rstrip())
    spec = fleet.channels["preview"]
    try:
        yield
    finally:
        fleet.write_channels()
        fleet.mediaflow("reload")
        until(lambda: not any(name.startswith("preview-") for name in fleet.processes()), _LIMIT_S, "preview's end")
        fleet.queues.delete(spec.queue, spec.dead_letter_queue)


def _settle(stage: Stage) -> None:
    """Wait until the autoscaler has nothing left to change from before."""
    fewest = {name: spec.workers.min for name, spec in stage.fleet.channels.items()}

    def settled() -> bool:
        names = [name for name in stage.fleet.processes() if name not in ("broker", "ingest")]
        return stage.fleet.workers() == fewest and len(names) == sum(fewest.values())

    until(settled, stage.sizes.cooldown_s + _LIMIT_S, "the fewest workers")


def _births(stage: Stage) -> dict[str, list[tuple[int, float]]]:
    """Give pid and start time of every process of the fleet, ingest's own workers with it."""
    births = {}
    for name, each in stage.fleet.processes().items():
        process = psutil.Process(each["pid"])
        family = [process, *process.children()] if name == "ingest" else [process]
        births[name] = [(member.pid, member.create_time()) for member in family]
    return births


def _whole(stage: Stage, asset_id: str) -> dict | None:
    asset = stage.fleet.door.asset(asset_id)
    return asset if "preview" in asset["channels"] else None


def _is_idle(stage: Stage) -> bool:
    depths = stage.fleet.queues.depths()
    return all(depths[each.queue].total == 0 < depths[each.queue].consumers for each in stage.fleet.channels.values())


def _said(births: list[tuple[int, float]]) -> str:
    return f"pid {births[0][0]}, same start time, and so its {len(births) - 1} workers"
