"""A worker of ours against a real queue, and a plain Pika channel to look at what the broker holds."""

import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import pika
from pika.adapters.blocking_connection import BlockingChannel

from local_fleet.broker import PrivateBroker
from local_fleet.broker_files import node_environment
from mq_common.channels import ChannelSpec
from mq_common.events import MediaEvent
from mq_common.jobs import ErrorKinds, FailedAttempt, Failure, JobContext
from mq_common.publisher import event_message
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
    failed_attempts: list[FailedAttempt] = field(default_factory=list)

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        self.ran.append(event.asset_id)
        return self.action(event, context)

    def attempt_failed(self, event: MediaEvent, failed: FailedAttempt) -> None:
        self.failed_attempts.append(failed)

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
    plan, program = node._state.plan(), node.program
    assert plan is not None
    assert program is not None
    done = subprocess.run(
        [str(program.with_name("rabbitmqctl")), "-n", plan.name, *arguments],
        env=node_environment(plan, os.environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr or done.stdout


def send(channel: BlockingChannel, spec: ChannelSpec, *assets: str) -> list[MediaEvent]:
    """Put one event an asset straight into the channel's queue."""
    events = [MediaEvent.create(asset_id=asset, owner_id="u") for asset in assets]
    for event in events:
        message = event_message(event)
        channel.basic_publish("", spec.queue, message.body, message.properties)
    return events


def take(channel: BlockingChannel, queue: str) -> tuple[pika.BasicProperties, bytes]:
    """Take one message out of a queue."""
    found: list[tuple[pika.BasicProperties, bytes]] = []

    def got() -> bool:
        method, properties, body = channel.basic_get(queue, auto_ack=True)
        if method is not None:
            found.append((properties, body))
        return bool(found)

    eventually(got)
    return found[0]


def management(url: str, path: str, method: str = "GET") -> dict[str, object]:
    """Ask the management API; a list comes as rows."""
    parts = urlsplit(url)
    login = b64encode(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()).decode()
    request = urllib.request.Request(
        f"http://{parts.hostname}:{parts.port}/api/{path}", method=method, headers={"Authorization": f"Basic {login}"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
    return dict(json.loads(text)) if text.startswith(b"{") else {"rows": json.loads(text or b"[]")}


def probe(running: RunningWorker, path: str) -> int:
    """Give the status of one of the worker's probes."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{running.worker.health.port}{path}", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
