"""Consumes with the least Pika code there is, acks batched by 50: COUNT PREFETCH."""

import sys
from typing import Any

import pika

from mediaflow_bench.programs.consume_ours import bench_channel
from mediaflow_bench.programs.outcome import parameters, tell
from mediaflow_bench.programs.stopwatch import Stopwatch

BATCH = 50


def main(count: int, prefetch: int) -> None:
    """Take `count` messages, a multiple of the batch."""
    stopwatch = Stopwatch()
    stopwatch.watch()
    connection = pika.BlockingConnection(parameters())
    channel = connection.channel()
    channel.basic_qos(prefetch_count=prefetch)
    taken = 0

    def on_message(_channel: Any, method: Any, _properties: Any, _body: bytes) -> None:
        nonlocal taken
        taken += 1
        if taken % BATCH == 0:
            channel.basic_ack(method.delivery_tag, multiple=True)
        if taken == count:
            channel.stop_consuming()

    channel.basic_consume(bench_channel().queue, on_message)
    channel.start_consuming()
    connection.close()
    tell(seconds=stopwatch.seconds, cpu_s=stopwatch.cpu_s, acks=stopwatch.acks)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
