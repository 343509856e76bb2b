"""Sends itself messages that do nothing, then works them off with Dramatiq: COUNT PREFETCH LOG_LEVEL THREADS.

One process with its own Worker, its usual middleware and a quorum queue; Dramatiq always acks after the work.
Timed from the start of the first message to the end of the last.
"""

import logging
import os
import sys
import threading
import time
from typing import Any

PREFETCH_VARIABLE = "dramatiq_queue_prefetch"  # read when dramatiq is imported


def main(count: int, prefetch: int, log_level: str, threads: int) -> None:
    """Fill the queue, then work it off."""
    os.environ[PREFETCH_VARIABLE] = str(prefetch)
    import dramatiq
    from dramatiq.brokers.rabbitmq import RabbitmqBroker

    from mediaflow_bench.programs.outcome import sample_message, tell

    class QuorumBroker(RabbitmqBroker):
        def _build_queue_arguments(self, queue_name: str) -> dict[str, Any]:
            return super()._build_queue_arguments(queue_name) | {"x-queue-type": "quorum"}

    logging.basicConfig(level=log_level.upper())
    logging.getLogger("pika").setLevel(logging.WARNING)
    broker = QuorumBroker(url=os.environ["AMQP_URL"])
    dramatiq.set_broker(broker)
    clock = Clock(count)
    actor = dramatiq.actor(lambda event: clock.tick(), actor_name="nothing", queue_name="bench.dramatiq")
    event = sample_message("", "").body.decode()
    for _ in range(count):
        actor.send(event)
    worker = dramatiq.Worker(broker, worker_threads=threads)
    worker.start()
    clock.over.wait()
    tell(seconds=clock.seconds, cpu_s=clock.cpu_s)
    worker.stop()
    broker.close()


class Clock:
    """Times the messages."""

    def __init__(self, count: int) -> None:
        self._count = self._left = count
        self._lock = threading.Lock()
        self.over = threading.Event()

    def tick(self) -> None:
        with self._lock:
            if self._left == self._count:
                self._began, self._cpu = time.perf_counter(), time.process_time()
            self._left -= 1
            if self._left == 0:
                self.seconds, self.cpu_s = time.perf_counter() - self._began, time.process_time() - self._cpu
                self.over.set()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
