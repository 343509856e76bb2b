"""Dead letters moved per second, against a bare publish + confirm + ack loop; and the memory for 100,000 of them."""

import itertools
import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mediaflow_bench.row import Row, at_least, below, compared, interleaved
from mediaflow_bench.workplace import ProgramFailed, Workplace

#: Memory that a hundred thousand dead letters may take beyond a process that has just started, in MB.
GROWTH_MB = 60.0

_NUMBERS = itertools.count()

Result = dict[str, Any]


def measure(workplace: Workplace) -> Iterator[Row]:
    """Measure the pace without and with failures in the store, then a long queue."""
    count = workplace.pick(20_000, 4_000)
    store = workplace.folder / "replayer-store"
    with workplace.vhost() as amqp_url:
        plain, raw = interleaved(
            workplace.pick(7, 2),
            partial(_ours, workplace, amqp_url, count, store),
            partial(_run, workplace, amqp_url, count, None, "replay_raw", count),
        )
        noted = [_ours(workplace, amqp_url, count, store, failures=True) for _ in range(workplace.pick(2, 1))]
        yield compared(
            "replayer: against a bare publish + confirm + ack loop",
            "msg/s",
            _rates(plain),
            _rates(raw),
            at_least(0.8),
            f"CPU {_cpu(plain)} µs against {_cpu(raw)} µs a message, which decides nothing and counts nothing",
        )
        yield Row(
            "replayer: each with a failure to look up and to mark in the store",
            "msg/s",
            statistics.median(_rates(noted)),
            note=f"CPU {_cpu(noted)} µs a message",
        )
        yield from _long_queue(workplace, amqp_url, workplace.pick(100_000, 10_000), store)


def _long_queue(workplace: Workplace, amqp_url: str, count: int, store: Path) -> Iterator[Row]:
    """Find the last message behind all others, then move all others."""
    workplace.run("fill_dead_letters", count, AMQP_URL=amqp_url)
    needle = workplace.run("replay_ours", store, f"bench-{count - 1}", AMQP_URL=amqp_url)
    rest = workplace.run("replay_ours", store, "-", AMQP_URL=amqp_url)
    if (needle["seen"], needle["moved"], rest["moved"]) != (count, 1, count - 1):
        raise ProgramFailed(f"replayer: {needle}, {rest} of {count}")
    for what, result in (("one found behind all others", needle), ("all moved", rest)):
        yield Row(
            f"replayer: memory for {count:,} dead letters beyond its start, {what}",
            "MB",
            result["peak_mb"] - result["before_mb"],
            target=below(GROWTH_MB),
            note=f"{result['seconds']:.1f} s; resident {result['peak_mb']:.0f} MB",
        )


def _ours(workplace: Workplace, amqp_url: str, count: int, store: Path, *, failures: bool = False) -> Result:
    # A folder of its own: after many deletions ext4 takes ten times as long for a new file.
    store = store / str(next(_NUMBERS))
    return _run(workplace, amqp_url, count, store if failures else None, "replay_ours", store, "-")


def _run(
    workplace: Workplace, amqp_url: str, count: int, failures: Path | None, program: str, *arguments: object
) -> Result:
    workplace.run("fill_dead_letters", count, *([failures] if failures else []), AMQP_URL=amqp_url)
    result = workplace.run(program, *arguments, AMQP_URL=amqp_url)
    if result["moved"] != count:
        raise ProgramFailed(f"{program}: moved {result['moved']} of {count}")
    return result


def _rates(results: list[Result]) -> list[float]:
    return [result["moved"] / result["seconds"] for result in results]


def _cpu(results: list[Result]) -> str:
    return f"{statistics.median(result['cpu_s'] / result['moved'] for result in results) * 1e6:.0f}"
