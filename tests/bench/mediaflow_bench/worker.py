"""Messages per second through a job that does nothing, one worker process, prefetch 100."""

import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from mediaflow_bench.row import Row, at_least, compared, interleaved
from mediaflow_bench.workplace import Workplace

PREFETCH = 100

Result = dict[str, Any]


def measure_pika(workplace: Workplace) -> Iterator[Row]:
    """Measure against a raw Pika loop that batches its acks by 50."""
    count = workplace.pick(20_000, 5_000)
    with workplace.vhost() as amqp_url:
        at_warning, at_info, raw = interleaved(
            workplace.pick(9, 2),
            partial(_ours, workplace, amqp_url, count, "warning"),
            partial(_ours, workplace, amqp_url, count, "info"),
            partial(_filled_and_run, workplace, amqp_url, count, "consume_raw", count, PREFETCH),
        )
    for level, ours in (("warning", at_warning), ("info, a line a job", at_info)):
        yield compared(
            f"worker, log level {level}: against a raw Pika loop, acks by 50",
            "msg/s",
            _rates(ours, count),
            _rates(raw, count),
            at_least(0.8),
            f"{_acks(ours, count)} messages an ack; CPU {_cpu(ours, count)} µs against {_cpu(raw, count)} µs a message",
        )


def measure_frameworks(workplace: Workplace) -> Iterator[Row]:
    """Measure against Celery and Dramatiq on the same broker, each with its fastest honest setup of one process."""
    count = workplace.pick(20_000, 5_000)
    fewer = workplace.pick(5_000, 1_500)
    times = workplace.pick(3, 1)
    for level in ("warning", "info"):
        with workplace.vhost() as amqp_url:
            ours, celery, dramatiq = interleaved(
                times,
                partial(_ours, workplace, amqp_url, count, level),
                _framework(workplace, amqp_url, "consume_celery", fewer, PREFETCH, level),
                _framework(workplace, amqp_url, "consume_dramatiq", fewer, PREFETCH, level, 1),
            )
        for name, peer in (("Celery (solo pool, acks_late)", celery), ("Dramatiq (1 thread)", dramatiq)):
            yield compared(
                f"worker, log level {level}: against {name}",
                "msg/s",
                _rates(ours, count),
                _rates(peer, fewer),
                at_least(3),
                f"quorum queues; CPU {_cpu(ours, count)} µs against {_cpu(peer, fewer)} µs a message",
            )


def _ours(workplace: Workplace, amqp_url: str, count: int, level: str) -> Result:
    return _filled_and_run(workplace, amqp_url, count, "consume_ours", count, PREFETCH, level)


def _filled_and_run(workplace: Workplace, amqp_url: str, count: int, program: str, *arguments: object) -> Result:
    workplace.run("fill_channel", count, AMQP_URL=amqp_url)
    return workplace.run(program, *arguments, AMQP_URL=amqp_url)


def _framework(workplace: Workplace, amqp_url: str, program: str, *arguments: object) -> Callable[[], Result]:
    return lambda: workplace.run(program, *arguments, AMQP_URL=amqp_url)


def _rates(results: list[Result], count: int) -> list[float]:
    return [count / result["seconds"] for result in results]


def _cpu(results: list[Result], count: int) -> str:
    return f"{statistics.median(result['cpu_s'] for result in results) / count * 1e6:.0f}"


def _acks(results: list[Result], count: int) -> str:
    return f"{count / statistics.median(result['acks'] for result in results):.0f}"
