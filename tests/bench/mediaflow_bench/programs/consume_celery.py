"""Sends itself tasks that do nothing, then works them off with Celery: COUNT PREFETCH LOG_LEVEL.

The fastest honest setup of one process: the solo pool (no pipes, no threads), a quorum queue, acks after the work,
no results, no events, no gossip. Timed from the start of the first task to the end of the last.
"""

import os
import signal
import sys
import time
from functools import partial

from celery import Celery

from mediaflow_bench.programs.outcome import sample_message, tell


class Countdown:
    """Times the tasks and ends the worker after the last."""

    def __init__(self, count: int) -> None:
        self._count = self._left = count

    def tick(self) -> None:
        if self._left == self._count:
            self._began, self._cpu = time.perf_counter(), time.process_time()
        self._left -= 1
        if self._left == 0:
            tell(seconds=time.perf_counter() - self._began, cpu_s=time.process_time() - self._cpu)
            os.kill(os.getpid(), signal.SIGTERM)  # a warm shutdown: this task is acked first


def main(count: int, prefetch: int, log_level: str) -> None:
    """Fill the queue, then become the worker."""
    app = Celery("bench", broker=os.environ["AMQP_URL"], set_as_current=True)
    app.conf.update(
        task_default_queue="bench.celery",
        task_default_queue_type="quorum",
        task_acks_late=True,
        task_ignore_result=True,
        worker_prefetch_multiplier=prefetch,
        worker_redirect_stdouts=False,
        worker_hijack_root_logger=True,
        broker_connection_retry_on_startup=True,
    )
    countdown = Countdown(count)

    @app.task(name="nothing")
    def nothing(event: str) -> None:
        countdown.tick()

    event = sample_message("", "").body.decode()
    with app.producer_pool.acquire(block=True) as producer:
        send = partial(nothing.apply_async, args=(event,), producer=producer)
        for _ in range(count):
            send()
    lonely = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main(["worker", "--pool", "solo", "--concurrency", "1", "--loglevel", log_level, *lonely])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
