"""Scenario 2: a slow provider swells its queue, and nobody else's."""

import time
from dataclasses import dataclass, field

from mediaflow_scenarios.patience import TookTooLong, until
from mediaflow_scenarios.stage import Stage

#: Times the ideal drain that a busy machine may need, and seconds for workers to start.
_SLACK, _START_S = 3.0, 60.0


@dataclass
class _Course:
    """What was seen over time. Seconds since the burst."""

    transcoders: list[int] = field(default_factory=list)
    thumbnails_done_s: float | None = None
    transcode_left_then: int = 0
    drained_s: float | None = None
    back_s: float | None = None


def run(stage: Stage) -> None:
    """Burst; watch thumbnail drain at once, transcode pile up, grow its workers and give them back."""
    fleet, page, count = stage.fleet, stage.page, stage.sizes.slow_burst
    bounds = fleet.channels["transcode"].workers
    at_start = fleet.workers()["transcode"]
    page.command(f"curl -X POST {fleet.door.url}/media/burst -d '{{\"count\":{count}}}'")
    status, answer, assets = fleet.door.burst(count)
    began = time.monotonic()
    page.say(f"{status}: {answer.get('confirmed', 0)} events confirmed in {answer.get('seconds', 0)} s")

    course = _watch(stage, assets, began)
    fleet.await_ends("subtitle", assets, _START_S)
    done = fleet.results.done_by_channel(fleet.channels, assets)
    given_up = {name: fleet.queues.ready(spec.dead_letter_queue) for name, spec in fleet.channels.items()}

    stage.expect(
        answer.get("confirmed") == count, "every event is confirmed", f"{answer.get('confirmed', 0)} of {count}"
    )
    stage.expect(
        course.transcode_left_then > count / 2,
        "thumbnail drains at once while transcode piles up",
        f"thumbnail done after {course.thumbnails_done_s or 0:.1f} s, transcode had {course.transcode_left_then} to go",
    )
    counts = [at_start, *course.transcoders]
    steps = [at_start, *(each for each, last in zip(counts[1:], counts, strict=False) if each != last)]
    stage.expect(
        at_start == bounds.min and max(course.transcoders) == bounds.max,
        f"transcode grows from {bounds.min} to {bounds.max} workers",
        " → ".join(map(str, steps)),
    )
    stage.expect(
        course.back_s is not None and course.transcoders[-1] == bounds.min,
        f"and goes back to {bounds.min} after the cool-down of {stage.sizes.cooldown_s:.0f} s",
        f"drained after {course.drained_s or 0:.0f} s, back after {course.back_s or 0:.0f} s",
    )
    ended = {name: done[name] + given_up[name] for name in done}
    stage.expect(
        ended == dict.fromkeys(fleet.channels, count) and not given_up["thumbnail"] and not given_up["transcode"],
        "everything ends",
        ", ".join(
            f"{name} {done[name]} done{f' + {given_up[name]} in its DLQ' * bool(given_up[name])}" for name in done
        ),
    )


def _watch(stage: Stage, assets: list[str], began: float) -> _Course:
    """Print a row every few seconds until transcode has drained and its workers have gone."""
    fleet, sizes = stage.fleet, stage.sizes
    spec = fleet.channels["transcode"]
    ideal_s = len(assets) * spec.simulated.latency_ms / 1000 / (spec.workers.max * spec.concurrency)
    deadline = began + ideal_s * _SLACK + sizes.cooldown_s * _SLACK + _START_S
    course = _Course()

    def thumbnail_has_drained() -> bool:
        _note(stage, course, assets, time.monotonic() - began)
        depths = fleet.queues.depths()
        return depths[spec.queue].total > 0 and depths[fleet.channels["thumbnail"].queue].total == 0

    until(thumbnail_has_drained, _START_S, "an empty thumbnail queue beside a full one")
    stage.show_queues()
    stage.page.say()
    names = list(fleet.channels)
    table = stage.page.growing_table(
        ("after ", *(f"{name:<10}" for name in names), *(f"{name} workers" for name in names), "unacked transcode")
    )
    next_row = began
    while course.back_s is None:
        now = time.monotonic()
        depths, workers = fleet.queues.depths(), fleet.workers()
        _note(stage, course, assets, now - began)
        if now >= next_row or course.back_s is not None:
            next_row += sizes.look_every_s
            waiting = (depths[fleet.channels[name].queue].total for name in names)
            unacked = depths[spec.queue].unacked
            table.add(f"{now - began:.0f} s", *waiting, *(workers[name] for name in names), unacked)
        if now > deadline:
            raise TookTooLong(
                f"transcode did not drain and go back to {spec.workers.min} workers in {now - began:.0f} s"
            )
        time.sleep(0.5)
    return course


def _note(stage: Stage, course: _Course, assets: list[str], after_s: float) -> None:
    fleet = stage.fleet
    course.transcoders.append(fleet.workers()["transcode"])
    if course.drained_s is not None:
        if course.transcoders[-1] == fleet.channels["transcode"].workers.min:
            course.back_s = after_s
        return
    left = len(assets) - len(fleet.results.done("transcode", assets))
    if course.thumbnails_done_s is None and len(fleet.results.done("thumbnail", assets)) == len(assets):
        course.thumbnails_done_s, course.transcode_left_then = after_s, left
    if not left:
        course.drained_s = after_s
