"""Times a consumer from its subscription to its last ack, whoever it is, at Pika's own door."""

import time
from typing import Any

from pika.adapters.blocking_connection import BlockingChannel


class Stopwatch:
    """Watches every BlockingChannel of this process; costs both sides the same call an ack."""

    def __init__(self) -> None:
        self.acks = 0
        self._began = self._ended = self._cpu_began = self._cpu_ended = 0.0
        self._consume, self._ack = BlockingChannel.basic_consume, BlockingChannel.basic_ack

    @property
    def seconds(self) -> float:
        """Wall time between the two."""
        return self._ended - self._began

    @property
    def cpu_s(self) -> float:
        """Processor time of the process between the two."""
        return self._cpu_ended - self._cpu_began

    def watch(self) -> None:
        """Begin to watch."""
        watch = self

        def basic_consume(channel: BlockingChannel, queue: str, on_message_callback: Any, **options: Any) -> str:
            watch._began, watch._cpu_began = time.perf_counter(), time.process_time()
            return watch._consume(channel, queue, on_message_callback, **options)

        def basic_ack(channel: BlockingChannel, delivery_tag: int = 0, multiple: bool = False) -> None:
            watch._ack(channel, delivery_tag, multiple)
            watch.acks += 1
            watch._ended, watch._cpu_ended = time.perf_counter(), time.process_time()

        BlockingChannel.basic_consume = basic_consume  # type: ignore[method-assign]
        BlockingChannel.basic_ack = basic_ack  # type: ignore[method-assign]
