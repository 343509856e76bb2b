"""Moves all dead letters with the least Pika code there is: consume, publish, confirm, ack, all pipelined: COUNT."""

import sys
import time
from typing import Any

import pika

from mediaflow_bench.programs.consume_ours import bench_channel
from mediaflow_bench.programs.outcome import parameters, tell

WINDOW = 1000


class BareMove:
    """Publishes each delivery as it came, on the channel it came through, and acks what is confirmed."""

    def __init__(self, count: int) -> None:
        spec = bench_channel()
        self._queue, self._dead_letters, self._count = spec.queue, spec.dead_letter_queue, count
        self._tags: list[int] = []
        self._confirmed = 0
        self._connection = pika.SelectConnection(
            parameters(), self._on_open, on_close_callback=lambda connection, _: connection.ioloop.stop()
        )

    def run(self) -> None:
        self._connection.ioloop.start()
        tell(seconds=self._seconds, cpu_s=self._cpu_s, moved=self._confirmed)

    def _on_open(self, connection: pika.SelectConnection) -> None:
        connection.channel(on_open_callback=self._on_channel)

    def _on_channel(self, channel: Any) -> None:
        self._channel = channel
        channel.confirm_delivery(self._on_confirm, callback=lambda _: self._begin())

    def _begin(self) -> None:
        self._channel.basic_qos(prefetch_count=WINDOW)
        self._began, self._cpu = time.perf_counter(), time.process_time()
        self._channel.basic_consume(self._dead_letters, self._on_message)

    def _on_message(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        self._tags.append(method.delivery_tag)
        channel.basic_publish("", self._queue, body, properties, mandatory=True)

    def _on_confirm(self, frame: Any) -> None:
        # Good enough while every delivery is published at once and nothing is nacked.
        number = frame.method.delivery_tag
        self._channel.basic_ack(self._tags[number - 1], multiple=frame.method.multiple)
        self._confirmed = number if frame.method.multiple else self._confirmed + 1
        if self._confirmed >= self._count:
            self._seconds, self._cpu_s = time.perf_counter() - self._began, time.process_time() - self._cpu
            self._connection.close()


if __name__ == "__main__":
    BareMove(int(sys.argv[1])).run()
