"""Confirmed messages per second: ConfirmingPublisher, a bare SelectConnection loop, a BlockingConnection."""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel

from mediaflow_bench.row import Row, at_least, compared, interleaved
from mediaflow_bench.workplace import ProgramFailed, Workplace

WINDOW = 1000
EXCHANGE = "bench.topic"
QUEUES = ("bench.1", "bench.2", "bench.3")

#: Name in the report, exchange, routing key.
_PATHS = (
    ("topic exchange to 3 quorum queues", EXCHANGE, "media.all"),
    ("one quorum queue", "", QUEUES[0]),
)


def measure(workplace: Workplace) -> Iterator[Row]:
    """Measure both paths."""
    with workplace.vhost() as amqp_url, _queues(amqp_url) as channel:
        for path in _PATHS:
            yield from _measure_path(workplace, amqp_url, channel, path)


def _measure_path(
    workplace: Workplace, amqp_url: str, channel: BlockingChannel, path: tuple[str, str, str]
) -> Iterator[Row]:
    name, exchange, key = path
    count = workplace.pick(10_000, 5_000)

    def run(program: str, count: int, *more: int) -> dict[str, Any]:
        for queue in QUEUES:
            channel.queue_purge(queue)
        result = workplace.run(program, exchange, key, count, *more, AMQP_URL=amqp_url)
        if result["outcomes"].get("confirmed") != count:
            raise ProgramFailed(f"{program}: {result['outcomes']} of {count}")
        return result | {"rate": count / result["seconds"], "cpu_us": result["cpu_s"] / count * 1e6}

    ours, select, blocking = interleaved(
        workplace.pick(11, 2),
        partial(run, "publish_ours", count, WINDOW),
        partial(run, "publish_select", count, WINDOW),
        partial(run, "publish_blocking", count // 20),
    )
    rates = [[each["rate"] for each in side] for side in (ours, select, blocking)]
    costs = [[each["cpu_us"] for each in side] for side in (ours, select, blocking)]
    yield compared(
        f"publisher to {name}, window {WINDOW}: against a bare SelectConnection loop",
        "msg/s",
        rates[0],
        rates[1],
        at_least(0.9),
        f"client CPU {_median(costs[0])} µs against {_median(costs[1])} µs a message",
    )
    yield compared(
        f"publisher to {name}: against BlockingConnection, one at a time",
        "msg/s",
        rates[0],
        rates[2],
        note=f"client CPU {_median(costs[2])} µs a message there",
    )


def _median(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.0f}"


@contextmanager
def _queues(amqp_url: str) -> Iterator[BlockingChannel]:
    # Heartbeats off: this connection sits idle while the programs run.
    parameters = pika.URLParameters(amqp_url)
    parameters.heartbeat = 0
    connection = pika.BlockingConnection(parameters)
    try:
        channel = connection.channel()
        channel.exchange_declare(EXCHANGE, "topic", durable=True)
        for queue in QUEUES:
            arguments = {"x-queue-type": "quorum", "x-overflow": "reject-publish"}
            channel.queue_declare(queue, durable=True, arguments=arguments)
            channel.queue_bind(queue, EXCHANGE, "media.*")
        yield channel
    finally:
        connection.close()
