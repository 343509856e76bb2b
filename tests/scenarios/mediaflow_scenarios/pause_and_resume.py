"""Scenario 7: back-pressure: what the queue is there for."""

import time
from concurrent.futures import ThreadPoolExecutor

from mediaflow_scenarios.patience import until
from mediaflow_scenarios.stage import Stage

_CLIENTS = 8
_LIMIT_S = 60.0

#: Times the ideal drain that a busy machine may need.
_SLACK = 3.0


def run(stage: Stage) -> None:
    """Stop the workers and not the intake; then go on and drain all of it."""
    fleet, page = stage.fleet, stage.page
    page.command("mediaflow pause")
    page.say(fleet.mediaflow("pause").strip())
    try:
        statuses, assets = _upload(stage)
        count = len(assets)
        refused = [status for status in statuses if status != 202]
        # The management API counts consumers some seconds late.
        expected = dict.fromkeys(fleet.channels, (count, 0, 0))
        until(lambda: _at_rest(stage) == expected, _LIMIT_S, f"{count} messages in each queue, with no consumer")
        depths = stage.show_queues()
    finally:
        page.command("mediaflow resume")
        page.say(fleet.mediaflow("resume").strip())
    seen = {name: depths[spec.queue] for name, spec in fleet.channels.items()}
    stage.expect(
        not refused, "no request fails while the workers are stopped", f"{len(refused)} of {len(statuses)} failed"
    )
    stage.expect(
        all((each.total, each.unacked, each.consumers) == (count, 0, 0) for each in seen.values()),
        f"every queue holds {count} messages, 0 unacked, 0 consumers",
    )
    _drain(stage, assets)
    done = fleet.results.done_by_channel(fleet.channels, assets)
    dead = {name: fleet.queues.ready(spec.dead_letter_queue) for name, spec in fleet.channels.items()}
    stage.expect(
        all(done[name] + dead[name] == count for name in done),
        "after resume all of it ends, nothing is lost",
        ", ".join(f"{name} {done[name]} done{f' + {dead[name]} dead letters' * bool(dead[name])}" for name in done),
    )


def _upload(stage: Stage) -> tuple[list[int], list[str]]:
    """Upload a burst, and single assets from several clients at once; gives the answers' statuses, and the assets."""
    door, sizes = stage.fleet.door, stage.sizes
    stage.page.command(f"curl -X POST {door.url}/media/burst -d '{{\"count\":{sizes.paused_burst}}}'")
    status, answer, assets = door.burst(sizes.paused_burst)
    stage.page.say(f"{status}: {answer.get('confirmed', 0)} events confirmed in {answer.get('seconds', 0)} s")
    single = [f"paused-{number:04d}" for number in range(sizes.paused_uploads)]
    began = time.monotonic()
    with ThreadPoolExecutor(_CLIENTS) as clients:
        statuses = [status, *(each for each, _ in clients.map(door.upload, single))]
    stage.page.say(f"and {len(single)} uploads one by one in {time.monotonic() - began:.1f} s")
    return statuses, assets + single


def _at_rest(stage: Stage) -> dict[str, tuple[int, int, int]]:
    """Give each channel's messages, those unacked, and consumers."""
    depths = stage.fleet.queues.depths()
    seen = {name: depths[spec.queue] for name, spec in stage.fleet.channels.items()}
    return {name: (each.total, each.unacked, each.consumers) for name, each in seen.items()}


def _drain(stage: Stage, assets: list[str]) -> None:
    """Print a row every few seconds until every channel has ended every asset."""
    fleet, page = stage.fleet, stage.page
    slowest = max(
        spec.simulated.latency_ms / 1000 / spec.concurrency / spec.workers.max for spec in fleet.channels.values()
    )
    deadline_s = len(assets) * slowest * _SLACK + _LIMIT_S
    left = {name: set(assets) for name in fleet.channels}
    page.say()
    table = page.growing_table(("after ", *(f"media.{name}" for name in left), "unacked", "workers"))
    began = next_row = time.monotonic()

    def drained() -> bool:
        nonlocal next_row
        for name, waiting in left.items():
            waiting.difference_update(fleet.results.ended(name, waiting))
        over = not any(left.values())
        if over or time.monotonic() >= next_row:
            next_row = time.monotonic() + stage.sizes.look_every_s
            depths = [fleet.queues.depth(spec.queue) for spec in fleet.channels.values()]
            workers = "/".join(str(each) for each in fleet.workers().values())
            unacked = "/".join(str(each.unacked) for each in depths)
            table.add(f"{time.monotonic() - began:.0f} s", *(each.total for each in depths), unacked, workers)
        return over

    until(drained, deadline_s, "the drain")
