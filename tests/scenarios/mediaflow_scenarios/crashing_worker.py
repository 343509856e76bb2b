"""Scenario 4: the same dead-letter queue for another reason: the worker crashes."""

import json
import time

from mediaflow_scenarios.beside import beside
from mediaflow_scenarios.patience import until
from mediaflow_scenarios.stage import Stage

CHANNEL, VICTIM = "transcode", "crash-demo"

_LIMIT_S = 60.0

#: How far into its job of two seconds a worker is killed.
_MID_JOB_S = 0.3


def run(stage: Stage) -> None:
    """Kill whoever works on one message until the broker gives up on it; its neighbours in the queue get done."""
    fleet, page = stage.fleet, stage.page
    spec = fleet.channels[CHANNEL]
    neighbours = [f"innocent-{number}" for number in range(1, stage.sizes.neighbours + 1)]
    page.command(f"mediaflow pause {CHANNEL}")
    page.say(fleet.mediaflow("pause", CHANNEL).strip())
    try:
        for asset in (VICTIM, *neighbours):
            fleet.door.upload(asset)
        page.say(f"uploaded: {VICTIM}, and {len(neighbours)} more behind it\n")
        killed = _crash_until_dead(stage)
        letters = until(lambda: fleet.queues.dead_letters(spec.dead_letter_queue), _LIMIT_S, "the dead letter")
        page.say("\nanother worker of the media profile takes what is left")
        with _worker(stage):
            fleet.await_ends(CHANNEL, neighbours, _LIMIT_S + len(neighbours) * spec.simulated.latency_ms / 1000)
    finally:
        fleet.mediaflow("resume", CHANNEL)
    lengths = stage.show_dead_letters()
    page.say()
    queue, reason, count = letters[0].death
    page.say(json.dumps({"assetId": letters[0].asset_id, "queue": queue, "reason": reason, "count": count}))

    deliveries = spec.delivery_limit + 1
    stage.expect(
        killed == deliveries,
        f"a delivery limit of {spec.delivery_limit} is {deliveries} deliveries, each of which ended in SIGKILL",
        killed,
    )
    stage.expect(
        [each.asset_id for each in letters] == [VICTIM] and (queue, reason, count) == (spec.queue, "delivery_limit", 1),
        "then the message is in the dead-letter queue, and x-death says delivery_limit",
    )
    done = fleet.results.done(CHANNEL, neighbours)
    stage.expect(
        done == set(neighbours) and sum(lengths.values()) == 1,
        "its neighbours are done, none has followed it",
        f"{len(done)} of {len(neighbours)}",
    )
    others = [name for name in fleet.channels if name != CHANNEL]
    finished = [name for name in others if fleet.results.done(name, [VICTIM]) or fleet.results.failure(name, VICTIM)]
    stage.expect(finished == others, "the other channels have ended with the same asset", ", ".join(finished))
    if stage.sizes.await_last_word:
        _expect_last_word(stage)


def _crash_until_dead(stage: Stage) -> int:
    """Start a worker, wait until it works on the victim, kill it; again until the message is dead. Gives the kills."""
    fleet = stage.fleet
    dead_letters = fleet.channels[CHANNEL].dead_letter_queue
    table = stage.page.growing_table(("delivery", "worker's pid", "job began   ", "ended by"))
    killed = 0
    while not _settled_in(stage, dead_letters):
        began = time.monotonic()
        with _worker(stage) as worker:
            until(lambda worker=worker: worker.said("job_started", VICTIM), _LIMIT_S, f"a worker on {VICTIM}")
            started = time.monotonic() - began
            time.sleep(_MID_JOB_S)
            worker.kill()
        killed += 1
        table.add(killed, worker.process.pid, f"after {started:.1f} s", "SIGKILL")
    return killed


def _settled_in(stage: Stage, dead_letters: str) -> bool:
    """Wait until the message is either back in its queue or dead; True when it is dead."""
    queue, everything = stage.fleet.channels[CHANNEL].queue, stage.sizes.neighbours + 1

    def settled() -> tuple[bool] | None:
        dead = stage.fleet.queues.ready(dead_letters)
        return (dead > 0,) if stage.fleet.queues.ready(queue) + dead == everything else None

    return until(settled, _LIMIT_S, "the message's return")[0]


def _worker(stage: Stage):
    """Run a worker as the media profile has it: one message at a time."""
    return beside(stage.fleet, "crashing-worker", CHANNEL, MEDIAFLOW_PROFILE="media")


def _expect_last_word(stage: Stage) -> None:
    """The asset itself says why, once the dead worker has been silent for long enough."""
    door = stage.fleet.door

    def dead() -> dict | None:
        channel = door.asset(VICTIM)["channels"][CHANNEL]
        return channel if channel["state"] == "dead-lettered" else None

    channel = until(dead, _LIMIT_S, f"the state dead-lettered at GET /media/{VICTIM}")
    stage.page.command(f"curl {door.url}/media/{VICTIM}")
    stage.page.say(json.dumps({CHANNEL: {"state": channel["state"], "error": channel["error"]}}, indent=2))
    stage.expect(channel["error"]["reason"] == "delivery_limit", f"GET /media/{VICTIM} says so")
