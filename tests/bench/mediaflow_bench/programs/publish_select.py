"""Publishes with a bare SelectConnection that pipelines confirms: EXCHANGE ROUTING_KEY COUNT WINDOW."""

import sys
import time
from typing import Any

import pika

from mediaflow_bench.programs.outcome import parameters, sample_message, tell


class BareLoop:
    """The least that keeps `window` messages in flight and sees all of them acknowledged."""

    def __init__(self, exchange: str, routing_key: str, count: int, window: int) -> None:
        self._message = sample_message(exchange, routing_key)
        self._count, self._window = count, window
        self._sent = self._confirmed = self._nacked = 0
        self._connection = pika.SelectConnection(
            parameters(), self._on_open, on_close_callback=lambda connection, _: connection.ioloop.stop()
        )

    def run(self) -> None:
        self._connection.ioloop.start()
        tell(
            seconds=self._seconds,
            cpu_s=self._cpu_s,
            outcomes={"confirmed": self._confirmed - self._nacked, "nacked": self._nacked},
        )

    def _on_open(self, connection: pika.SelectConnection) -> None:
        connection.channel(on_open_callback=self._on_channel)

    def _on_channel(self, channel: Any) -> None:
        self._channel = channel
        channel.confirm_delivery(self._on_confirm, callback=lambda _: self._begin())

    def _begin(self) -> None:
        self._began, self._cpu = time.perf_counter(), time.process_time()
        self._pump()

    def _pump(self) -> None:
        message = self._message
        while self._sent < self._count and self._sent - self._confirmed < self._window:
            self._channel.basic_publish(
                message.exchange, message.routing_key, message.body, message.properties, mandatory=True
            )
            self._sent += 1

    def _on_confirm(self, frame: Any) -> None:
        # Good enough while nothing is nacked: a bare loop does not know which message is meant.
        if isinstance(frame.method, pika.spec.Basic.Nack):
            self._nacked += 1
        self._confirmed = frame.method.delivery_tag if frame.method.multiple else self._confirmed + 1
        if self._confirmed >= self._count:
            self._seconds, self._cpu_s = time.perf_counter() - self._began, time.process_time() - self._cpu
            self._connection.close()
        else:
            self._pump()


if __name__ == "__main__":
    BareLoop(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])).run()
