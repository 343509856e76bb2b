"""Scenario 3: a flaky provider: retries, then the dead-letter queue, with the reason on the message."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from statistics import median
from typing import Any

from mediaflow_scenarios.patience import until
from mediaflow_scenarios.queues import DeadLetter
from mediaflow_scenarios.stage import Stage
from mq_common.retry import JITTER, wait_s
from mq_common.simulation import fails

_LIMIT_S = 300.0
CHANNEL = "subtitle"


def run(stage: Stage) -> None:
    """Burst; see exactly the assets that the hash names in media.subtitle.dlq, after their retries."""
    fleet, page, count = stage.fleet, stage.page, stage.sizes.flaky_burst
    spec = fleet.channels[CHANNEL]
    page.command(f"curl -X POST {fleet.door.url}/media/burst -d '{{\"count\":{count}}}'")
    _, _, assets = fleet.door.burst(count)
    foreseen = {each for each in assets if fails(CHANNEL, each, spec.simulated.failure_rate)}
    fleet.await_ends(CHANNEL, assets, _LIMIT_S)
    until(lambda: fleet.queues.ready(spec.dead_letter_queue) >= len(foreseen), _LIMIT_S, "the dead letters")
    fleet.await_ends("thumbnail", assets, _LIMIT_S)

    lengths = stage.show_dead_letters()
    letters = fleet.queues.dead_letters(spec.dead_letter_queue)
    _show(stage, letters[0])
    waits = _waits(stage, foreseen)
    page.say()
    page.table(
        ("wait before try", "policy", "told", "measured, median"),
        [
            (number + 1, f"{wait_s(spec.retries, number):g} s", _range(told), f"{median(measured):.2f} s")
            for number, (told, measured) in waits.items()
        ],
    )
    _judge(stage, assets, foreseen, letters, lengths)
    _judge_waits(stage, waits)


def _judge(
    stage: Stage, assets: list[str], foreseen: set[str], letters: list[DeadLetter], lengths: dict[str, int]
) -> None:
    fleet = stage.fleet
    spec, done = fleet.channels[CHANNEL], fleet.results.done(CHANNEL, assets)
    stage.expect(
        Counter(each.asset_id for each in letters) == Counter(foreseen),
        "exactly the assets that the hash names are dead letters, once each",
        f"{len(letters)} of {len(assets)}, {len(letters) / len(assets):.1%}",
    )
    stage.expect(done == set(assets) - foreseen, "all others are done", len(done))
    stage.expect(
        all(not length for name, length in lengths.items() if name != CHANNEL), "the other dead-letter queues are empty"
    )
    deaths = Counter(each.death for each in letters)
    stage.expect(
        set(deaths) == {(spec.queue, "rejected", 1)} and all(len(each.deaths) == 1 for each in letters),
        "x-death says rejected, once",
        f"{deaths.total()} times",
    )
    attempts = Counter((fleet.results.failure(CHANNEL, each) or {}).get("attempts") for each in foreseen)
    tries = spec.retries.count + 1
    stage.expect(set(attempts) == {tries}, f"each after {tries} tries", f"failure.json: {dict(attempts)}")


def _judge_waits(stage: Stage, waits: dict[int, tuple[list[float], list[float]]]) -> None:
    policy = stage.fleet.channels[CHANNEL].retries
    wanted = {number: wait_s(policy, number) for number in range(1, policy.count + 1)}
    stage.expect(
        wanted.keys() == waits.keys()
        # Logged with two decimals; measured by the log's own clock.
        and all(wanted[n] <= t <= wanted[n] * (1 + JITTER) + 0.01 for n, (told, _) in waits.items() for t in told)
        and all(m >= wanted[n] - 0.01 for n, (_, measured) in waits.items() for m in measured),
        f"waiting {' and '.join(f'{each:g} s' for each in wanted.values())} in between",
        f"with up to {JITTER:.0%} of jitter",
    )


def _show(stage: Stage, letter: DeadLetter) -> None:
    """Print one message's x-death as the article does."""
    shown = [
        {
            "queue": each["queue"],
            "reason": each["reason"],
            "count": each["count"],
            "exchange": each["exchange"],
            "routingKeys": each["routing-keys"],
        }
        for each in letter.deaths
    ]
    stage.page.say()
    stage.page.say(json.dumps({"assetId": letter.asset_id, "xDeath": shown}, indent=2))


def _waits(stage: Stage, assets: set[str]) -> dict[int, tuple[list[float], list[float]]]:
    """Read the workers' logs: by number of the failed try, the waits they told and those that came after. Seconds."""
    latency_s = stage.fleet.channels[CHANNEL].simulated.latency_ms / 1000
    failed: dict[tuple[str, int], dict[str, Any]] = {}
    for line in _lines(stage):
        if line.get("asset_id") in assets:
            if line["event"] == "job_attempt_failed":
                failed[line["asset_id"], line["attempt"]] = line
            elif line["event"] == "job_rejected":
                failed[line["asset_id"], line["attempts"]] = line
    waits: dict[int, tuple[list[float], list[float]]] = {}
    for (asset, number), line in sorted(failed.items()):
        if "retry_in_s" in line and (asset, number + 1) in failed:
            told, measured = waits.setdefault(number, ([], []))
            told.append(line["retry_in_s"])
            measured.append(_moment(failed[asset, number + 1]) - _moment(line) - latency_s)
    return waits


def _lines(stage: Stage) -> Iterator[dict[str, Any]]:
    for log in sorted(stage.fleet.folder.logs.glob(f"{CHANNEL}-*.log*")):
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def _moment(line: dict[str, Any]) -> float:
    return datetime.fromisoformat(line["timestamp"]).timestamp()


def _range(values: list[float]) -> str:
    return f"{min(values):.2f}–{max(values):.2f} s"
