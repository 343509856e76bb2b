"""JSON uploads, each confirmed by the broker, against a bare Flask endpoint that parses the JSON and answers."""

import json
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pika

from mediaflow_bench import server
from mediaflow_bench.row import Row, Target, at_least, below, compared, interleaved, no_more_than
from mediaflow_bench.workplace import ProgramFailed, Workplace
from mq_common.channels import load_channels

#: Requests per second, and what p95 should stay below, in milliseconds. 200/s is the article's peak, 69.9 its p95.
RATES = ((200, 69.9), (500, 70.0))
#: Clients at saturation: as many as the two workers have threads.
CONNECTIONS = 64

_SCRIPT = Path(__file__).parent / "programs" / "uploads.lua"
_TAGS = count(1)

Answers = dict[str, Any]


def measure_rates(workplace: Workplace) -> Iterator[Row]:
    """Measure latencies at constant rates, in an open loop."""
    with _both(workplace) as (ours, peer, purge):
        _open_loop(workplace, ours, 100, 2)
        for rate, limit_ms in RATES:

            def run(target: server.Server, rate: int = rate) -> Answers:
                purge()
                return _open_loop(workplace, target, rate, workplace.pick(20, 5))

            mine, theirs = interleaved(workplace.pick(3, 1), lambda: run(ours), lambda: run(peer))
            yield from _rate_rows(rate, mine, theirs, below(limit_ms))


def measure_saturation(workplace: Workplace) -> Iterator[Row]:
    """Measure how many uploads a second there can be, and what one costs in processor time.

    Once more with the store in memory, to see what the disk has to do with it. The bare endpoint runs under the same
    worker class and settings; having no lane for uploads it is served by gunicorn's threads.
    """
    with _both(workplace) as (ours, peer, purge), _in_memory(workplace, purge.amqp_url) as ours_in_memory:

        def run(target: server.Server) -> Answers:
            purge()
            return _saturate(workplace, target, workplace.pick(10, 3))

        sides = (ours, ours_in_memory, peer)
        for side in sides:
            _saturate(workplace, side, 2)
        mine, mine_in_memory, theirs = interleaved(workplace.pick(5, 2), *(partial(run, side) for side in sides))
    clients = f"ingest at saturation, {CONNECTIONS} clients"
    yield _saturation_row(f"{clients}: uploads against a bare Flask endpoint", mine, theirs, at_least(0.75))
    yield _saturation_row(f"{clients}, store in memory: uploads against it", mine_in_memory, theirs, None)
    yield _failed_row(f"{clients}: uploads not answered 202", mine + mine_in_memory)


def _saturation_row(what: str, mine: list[Answers], theirs: list[Answers], target: Target | None) -> Row:
    rates = [[each["rate"] for each in side] for side in (mine, theirs)]
    cpu = [f"{_median(side, 'user_us'):.0f}+{_median(side, 'system_us'):.0f}" for side in (mine, theirs)]
    note = f"CPU of gunicorn, user+system, {cpu[0]} µs against {cpu[1]} µs a request"
    return compared(what, "req/s", *rates, target, f"{note}; {_percentiles(mine)} against {_percentiles(theirs)}")


def _rate_rows(rate: int, mine: list[Answers], theirs: list[Answers], target: Target) -> Iterator[Row]:
    yield compared(
        f"ingest at {rate} uploads/s: p95 against a bare Flask endpoint at the same rate",
        "ms",
        [each["ms"]["p95"] for each in mine],
        [each["ms"]["p95"] for each in theirs],
        target,
        f"{_percentiles(mine)} against {_percentiles(theirs)}",
    )
    yield _failed_row(f"ingest at {rate} uploads/s: uploads not answered 202", mine)


def _failed_row(what: str, results: list[Answers]) -> Row:
    failed = sum(each["failed"] for each in results)
    reasons = " ".join(f"{each['failures']}" for each in results if each.get("failures"))
    total = sum(each.get("sent") or each["requests"] for each in results)
    note = f"of {total:,}"
    return Row(what, "failed", failed, target=no_more_than(0), note=f"{note} {reasons}".strip())


def _percentiles(results: list[Answers]) -> str:
    medians = (statistics.median(each["ms"][name] for each in results) for name in ("p50", "p95", "p99"))
    return "p50/p95/p99 " + "/".join(f"{value:.1f}" for value in medians) + " ms"


def _median(results: list[Answers], name: str) -> float:
    return statistics.median(each[name] for each in results)


def _open_loop(workplace: Workplace, target: server.Server, rate: int, seconds: float) -> Answers:
    return workplace.run("open_loop", target.port, rate, seconds, f"open{next(_TAGS)}")


def _saturate(workplace: Workplace, target: server.Server, seconds: int) -> Answers:
    tag, before = f"wrk{next(_TAGS)}", target.cpu()
    if shutil.which("wrk"):
        result = _wrk(target, seconds, tag)
    else:
        result = workplace.run("closed_loop", target.port, CONNECTIONS, seconds, tag)
    per_request = 1e6 / max(1, result["requests"])
    user, system = (after - before for after, before in zip(target.cpu(), before, strict=True))
    return result | {
        "rate": (result["requests"] - result["failed"]) / result["seconds"],
        "user_us": user * per_request,
        "system_us": system * per_request,
    }


def _wrk(target: server.Server, seconds: int, tag: str) -> Answers:
    options = ["-t", "1", "-c", str(CONNECTIONS), "-d", str(seconds), "--timeout", "10", "-s", str(_SCRIPT)]
    done = subprocess.run(
        ["wrk", *options, f"http://127.0.0.1:{target.port}", "--", tag],
        capture_output=True,
        text=True,
        timeout=seconds + 30,
        check=False,
    )
    answer = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    if answer is None:
        raise ProgramFailed(f"wrk: {done.stdout}{done.stderr}")
    return json.loads(answer)


@dataclass(frozen=True)
class Purge:
    """Empties the channels' queues: no worker runs, so they would only grow."""

    amqp_url: str

    def __call__(self) -> None:
        connection = pika.BlockingConnection(pika.URLParameters(self.amqp_url))
        for spec in load_channels().values():
            connection.channel().queue_purge(spec.queue)
        connection.close()


@contextmanager
def _both(workplace: Workplace) -> Iterator[tuple[server.Server, server.Server, Purge]]:
    """Run ingest and the bare endpoint."""
    with (
        workplace.vhost() as amqp_url,
        server.ingest(workplace, amqp_url) as ours,
        server.bare_flask(workplace) as peer,
    ):
        yield ours, peer, Purge(amqp_url)


@contextmanager
def _in_memory(workplace: Workplace, amqp_url: str) -> Iterator[server.Server]:
    """Run an ingest whose store is in memory."""
    memory = Path("/dev/shm")
    store = memory / workplace.folder.name if memory.is_dir() else workplace.folder / "second-store"
    with server.ingest(workplace, amqp_url, store=store) as second:
        yield second
