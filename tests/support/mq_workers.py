"""A worker of ours against a real queue, and a plain Pika channel to look at what the broker holds."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pika.adapters.blocking_connection import BlockingChannel

from local_fleet.broker import PrivateBroker
from local_fleet.broker_files import node_environment
from mq_common.channels import ChannelSpec
from mq_common.events import MediaEvent
from mq_common.jobs import ErrorKinds, Failure, JobContext
from mq_common.settings import BrokerSettings, WorkerSettings
from mq_common.worker import Worker


def eventually(condition: Callable[[], object], within_s: float = 20.0) -> None:
    """Wait until the condition holds; fail when it does not in time."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        time.sleep(0.01)


@dataclass
class RecordingJob:
    """Remembers what it saw; ``action`` decides what a run does."""

    action: Callable[[MediaEvent, JobContext], bool] = lambda event, context: True
    ran: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        self.ran.append(event.asset_id)
        return self.action(event, context)

    def gave_up(self, event: MediaEvent, failure: Failure) -> None:
        self.failures.append(failure)


@dataclass
class RunningWorker:
    worker: Worker
    thread: threading.Thread
    codes: list[int | BaseException]

    def stop(self, within_s: float = 20.0) -> None:
        self.worker.stop()
        self.thread.join(within_s)
        assert not self.thread.is_alive(), "the worker did not stop"


@contextmanager
def working(
    spec: ChannelSpec,
    job: RecordingJob,
    settings: BrokerSettings,
    *,
    grace_s: float = 10.0,
    kinds: ErrorKinds | None = None,
) -> Iterator[RunningWorker]:
    """Run a worker on a thread of the test until the block ends."""
    worker = Worker(
        spec, job, broker=settings, settings=WorkerSettings(health_port=0, grace_s=grace_s), kinds=kinds or ErrorKinds()
    )
    codes: list[int | BaseException] = []

    def run() -> None:
        try:
            codes.append(worker.run())
        except BaseException as error:
            codes.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    running = RunningWorker(worker, thread, codes)
    try:
        yield running
    finally:
        running.stop()


def depth(channel: BlockingChannel, queue: str) -> int:
    """Ready messages of a queue."""
    return int(channel.queue_declare(queue, passive=True).method.message_count)


def rabbitmqctl(node: PrivateBroker, *arguments: str) -> None:
    """Run RabbitMQ's own command line tool against a private node."""
    plan = node._state.plan()
    assert plan is not None
    done = subprocess.run(
        ["/usr/lib/rabbitmq/bin/rabbitmqctl", "-n", plan.name, *arguments],
        env=node_environment(plan, os.environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr or done.stdout
