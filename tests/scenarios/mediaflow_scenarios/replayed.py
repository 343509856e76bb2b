"""Scenario 6: dead letters go back to their one queue, and nobody else works twice."""

import subprocess
import sys

from mediaflow_scenarios.fleet import CommandFailed
from mediaflow_scenarios.patience import until
from mediaflow_scenarios.stage import Stage
from mq_common.simulation import fails

CHANNEL = "subtitle"

_LIMIT_S = 120.0

#: What mends the provider: no asset fails any more.
MENDED = ("failure_rate = 0.1", "failure_rate = 0.0")


def run(stage: Stage) -> None:
    """Let a tenth of the assets fail, mend the provider, replay a few dead letters and then all of them."""
    fleet, page = stage.fleet, stage.page
    spec = fleet.channels[CHANNEL]
    assets = [f"replay-{number:04d}" for number in range(1, stage.sizes.replay_uploads + 1)]
    failing = [each for each in assets if fails(CHANNEL, each, spec.simulated.failure_rate)]
    for asset in assets:
        fleet.door.upload(asset)
    for channel in fleet.channels:
        fleet.await_ends(channel, assets, _LIMIT_S)
    until(lambda: fleet.queues.ready(spec.dead_letter_queue) == len(failing), _LIMIT_S, f"{len(failing)} dead letters")
    page.say(f"{len(assets)} uploads, {len(failing)} of them are in {spec.dead_letter_queue}")
    page.command("replayer list")
    page.say(_replayer(stage, "list"))

    changes = fleet.changes
    try:
        fleet.changes = (*changes, MENDED)
        fleet.write_channels()
        page.say("\nthe provider is mended:")
        page.command("sed -i 's/failure_rate = 0.1/failure_rate = 0.0/' channels.toml; mediaflow reload")
        page.say(fleet.mediaflow("reload").rstrip())
        _replay(stage, assets, failing)
    finally:
        fleet.changes = changes
        fleet.write_channels()
        fleet.mediaflow("reload")


def _replay(stage: Stage, assets: list[str], failing: list[str]) -> None:
    fleet, some = stage.fleet, stage.sizes.replayed_first
    spec = fleet.channels[CHANNEL]
    before, came_before = _done(stage, assets), _came(stage)
    stage.page.command(f"replayer --channel {CHANNEL} --limit {some}")
    stage.page.say(_replayer(stage, "--channel", CHANNEL, "--limit", str(some)))
    until(lambda: _done(stage, assets)[CHANNEL] == before[CHANNEL] + some, _LIMIT_S, f"{some} more results")
    after = _done(stage, assets)
    left = fleet.queues.ready(spec.dead_letter_queue)

    stage.page.command(f"replayer --channel {CHANNEL}")
    stage.page.say(_replayer(stage, "--channel", CHANNEL))
    until(lambda: _done(stage, assets)[CHANNEL] == len(assets), _LIMIT_S, "all results")
    until(lambda: _came(stage)[CHANNEL] == came_before[CHANNEL] + len(failing), _LIMIT_S, "the broker's figures")
    end, came = _done(stage, assets), _came(stage)
    stage.page.say()
    stage.page.table(
        ("done", "BEFORE", f"AFTER {some} replayed", "AFTER all", "messages into the queue"),
        [
            (name, before[name], after[name], end[name], f"{came_before[name]} → {came[name]}")
            for name in fleet.channels
        ],
    )
    others = [name for name in fleet.channels if name != CHANNEL]
    stage.expect(
        after[CHANNEL] == before[CHANNEL] + some and left == len(failing) - some,
        f"{some} replayed, {some} more done, the others wait on",
        f"{left} left",
    )
    stage.expect(
        end[CHANNEL] == len(assets) and not fleet.queues.ready(spec.dead_letter_queue),
        "after the rest all assets are done and the dead-letter queue is empty",
        f"{end[CHANNEL]} of {len(assets)}",
    )
    stage.expect(
        all(before[name] == after[name] == end[name] and came_before[name] == came[name] for name in others),
        "the other channels' counters do not move, and their queues got nothing",
        ", ".join(f"{name} {end[name]}" for name in others),
    )


def _done(stage: Stage, assets: list[str]) -> dict[str, int]:
    return stage.fleet.results.done_by_channel(stage.fleet.channels, assets)


def _came(stage: Stage) -> dict[str, int]:
    """Count the messages that have come into each channel's queue, as the broker does."""
    queues = stage.fleet.queues
    return {name: queues.message_counts(spec.queue).get("publish", 0) for name, spec in stage.fleet.channels.items()}


def _replayer(stage: Stage, *arguments: str) -> str:
    """Run the replayer as a user does; gives what it says. Raises CommandFailed."""
    done = subprocess.run(
        [sys.executable, "-m", "replayer", *arguments],
        env=stage.fleet.broker_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
        start_new_session=True,
    )
    if done.returncode != 0:
        raise CommandFailed(f"replayer {' '.join(arguments)}: {(done.stdout + done.stderr).strip()}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())
