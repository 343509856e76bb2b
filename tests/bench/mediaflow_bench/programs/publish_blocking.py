"""Publishes with BlockingConnection, each message waiting for its confirm: EXCHANGE ROUTING_KEY COUNT."""

import sys
import time

import pika

from mediaflow_bench.programs.outcome import parameters, sample_message, tell


def main(exchange: str, routing_key: str, count: int) -> None:
    """Publish one after the other; Pika raises when one is refused or unroutable."""
    message = sample_message(exchange, routing_key)
    connection = pika.BlockingConnection(parameters())
    channel = connection.channel()
    channel.confirm_delivery()
    began, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        channel.basic_publish(exchange, routing_key, message.body, message.properties, mandatory=True)
    tell(seconds=time.perf_counter() - began, cpu_s=time.process_time() - cpu, outcomes={"confirmed": count})
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
