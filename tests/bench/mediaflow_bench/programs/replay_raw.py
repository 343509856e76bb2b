"""Moves all dead letters with the least Pika code there is: consume, publish, confirm, ack, all pipelined: COUNT.

It has what costs no thought and helps: a connection for each direction, since a broker that slows a publisher down
would hold up its acks too, and one ack for many.
"""

import sys
import time
from itertools import takewhile
from typing import Any

import pika

from mediaflow_bench.programs.consume_ours import bench_channel
from mediaflow_bench.programs.outcome import parameters, tell
from mq_common._acks import AckWindow

WINDOW = 1000


class BareMove:
    """Publishes each delivery as it came, and acks what is confirmed.

    Tags and confirms count alike: every delivery is published at once, and nothing is nacked.
    """

    def __init__(self, count: int) -> None:
        spec = bench_channel()
        self._queue, self._dead_letters, self._count = spec.queue, spec.dead_letter_queue, count
        self._acks = AckWindow()
        self._open: dict[int, None] = {}
        self._confirmed = 0
        self._acks_due = False
        self._connection = pika.SelectConnection(
            parameters(), self._on_open, on_close_callback=lambda connection, _: connection.ioloop.stop()
        )
        self._publishing = pika.SelectConnection(
            parameters(), self._on_publishing, custom_ioloop=self._connection.ioloop
        )
        self._channels = 0

    def run(self) -> None:
        self._connection.ioloop.start()
        tell(seconds=self._seconds, cpu_s=self._cpu_s, moved=self._confirmed)

    def _on_open(self, connection: pika.SelectConnection) -> None:
        connection.channel(on_open_callback=self._on_channel)

    def _on_channel(self, channel: Any) -> None:
        self._channel = channel
        self._begin()

    def _on_publishing(self, connection: pika.SelectConnection) -> None:
        connection.channel(on_open_callback=self._on_publishing_channel)

    def _on_publishing_channel(self, channel: Any) -> None:
        self._publisher = channel
        channel.confirm_delivery(self._on_confirm, callback=lambda _: self._begin())

    def _begin(self) -> None:
        self._channels += 1
        if self._channels < 2:
            return
        self._channel.basic_qos(prefetch_count=WINDOW)
        self._began, self._cpu = time.perf_counter(), time.process_time()
        self._channel.basic_consume(self._dead_letters, self._on_message)

    def _on_message(self, _: Any, method: Any, properties: Any, body: bytes) -> None:
        self._acks.deliver(method.delivery_tag)
        self._open[method.delivery_tag] = None
        self._publisher.basic_publish("", self._queue, body, properties, mandatory=True)

    def _on_confirm(self, frame: Any) -> None:
        last = frame.method.delivery_tag
        numbers = list(takewhile(last.__ge__, self._open)) if frame.method.multiple else [last]
        for number in numbers:
            del self._open[number]
            self._acks.done(number)
        self._confirmed += len(numbers)
        if not self._acks_due:  # when all that this read has brought was looked at
            self._acks_due = True
            self._connection.ioloop.call_later(0, self._send_acks)

    def _send_acks(self) -> None:
        self._acks_due = False
        for tag, multiple in self._acks.take():
            self._channel.basic_ack(tag, multiple=multiple)
        if self._confirmed >= self._count:
            self._seconds, self._cpu_s = time.perf_counter() - self._began, time.process_time() - self._cpu
            self._publishing.close()
            self._connection.close()


if __name__ == "__main__":
    BareMove(int(sys.argv[1])).run()
