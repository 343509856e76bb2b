"""Each drill: a situation, and the alerts that it makes fire. It gives what is to be done again until they do."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pika

from mediaflow_drills.stage import DRILL_QUEUE, Stage

Again = Callable[[], None]


@dataclass(frozen=True)
class Drill:
    """A situation, and the alerts that it makes fire. ``stage``: what it is played on, by its name in run.py."""

    alerts: tuple[str, ...]
    play: Callable[[Any], AbstractContextManager[Again]]
    stage: str

    @property
    def said(self) -> str:
        """What it does, in one sentence."""
        return " ".join((self.play.__doc__ or "").split())


DRILLS: list[Drill] = []


def drill(*alerts: str, stage: str = "fleet") -> Callable[[Callable[[Any], Iterator[Again]]], None]:
    """Enter a drill into the list."""

    def enter(play: Callable[[Any], Iterator[Again]]) -> None:
        DRILLS.append(Drill(alerts, contextmanager(play), stage))

    return enter


@drill("MediaflowNoConsumers", "MediaflowQueueGrows", "MediaflowShedding")
def _a_queue_without_workers(stage: Stage) -> Iterator[Again]:
    """A queue that nobody works on gets every upload, until the door sheds."""
    with _drill_queue(stage):
        yield lambda: stage.burst(20)


@drill("MediaflowRequeueStorm")
def _a_consumer_that_puts_everything_back(stage: Stage) -> Iterator[Again]:
    """A foreign consumer returns each message to its queue."""
    with _drill_queue(stage):
        stage.burst(1)
        ended = threading.Event()
        thread = threading.Thread(target=_put_back, args=(stage, ended))
        thread.start()
        try:
            yield lambda: None
        finally:
            ended.set()
            thread.join()


@drill("MediaflowDeadLetters", "MediaflowRetries", "MediaflowDeadLettersGrow")
def _a_provider_that_fails(stage: Stage) -> Iterator[Again]:
    """Nine of ten subtitles fail, each after its retries."""
    yield lambda: stage.burst(3)


@drill("MediaflowDeadLettersStuck")
def _a_dead_letter_queue_that_is_gone(stage: Stage) -> Iterator[Again]:
    """The dead-letter queue is taken from its exchange while subtitles fail."""
    key = ("media.subtitle.dlq", "media.dlx", "subtitle")
    with stage.channel() as channel:
        channel.queue_unbind(*key)
    try:
        yield lambda: stage.burst(3)
    finally:
        with stage.channel() as channel:
            channel.queue_bind(*key)


@drill("MediaflowPausedForLong", "MediaflowLag")
def _a_pause(stage: Stage) -> Iterator[Again]:
    """All channels are paused and an upload comes."""
    stage.fleet.mediaflow("pause", "thumbnail")
    stage.burst(3)
    try:
        yield lambda: None
    finally:
        stage.fleet.mediaflow("resume", "thumbnail")


@drill("MediaflowScaledToMax")
def _more_work_than_workers(stage: Stage) -> Iterator[Again]:
    """A channel with one worker at most gets more than it can do."""
    stage.burst(30)
    yield lambda: None


@drill("MediaflowConsumerCancelled")
def _a_queue_is_deleted(stage: Stage) -> Iterator[Again]:
    """A queue is deleted under its worker, which declares it again."""
    with stage.channel() as channel:
        channel.queue_delete("media.thumbnail")
    yield lambda: None


@drill("MediaflowWorkersReconnect", "MediaflowRedeliveriesWithoutWork")
def _a_network_that_cuts(stage: Stage) -> Iterator[Again]:
    """Every connection is closed again and again while long jobs run."""
    stage.burst(40)
    yield stage.cut_connections


@drill("MediaflowBrokerAlarm", "MediaflowPublisherBlocked")
def _a_memory_alarm(stage: Stage) -> Iterator[Again]:
    """The broker's memory limit is set to one megabyte."""
    stage.rabbitmqctl("set_vm_memory_high_watermark", "absolute", "1MB")
    try:
        yield lambda: stage.burst(1)
    finally:
        stage.rabbitmqctl("set_vm_memory_high_watermark", "absolute", "1GB")


@drill(
    "MediaflowBrokerDown",
    "MediaflowPublisherDisconnected",
    "MediaflowWorkerIdleByMistake",
    "MediaflowDepthUnknown",
    "MediaflowOutboxWaits",
)
def _a_broker_that_is_away(stage: Stage) -> Iterator[Again]:
    """RabbitMQ is stopped inside its node, and uploads go on."""
    stage.rabbitmqctl("stop_app")
    try:
        yield lambda: _upload(stage)
    finally:
        stage.rabbitmqctl("start_app")


@drill("MediaflowConfirmLatency")
def _a_slow_broker(stage: Stage) -> Iterator[Again]:
    """The broker is frozen for three seconds whenever an upload comes."""

    def again() -> None:
        upload = threading.Thread(target=stage.burst, args=(1,))
        with stage.frozen("broker"):
            upload.start()
            upload.join(3)
        upload.join()

    yield again


@drill("MediaflowOutboxUnreadable")
def _a_foreign_file_in_the_outbox(stage: Stage) -> Iterator[Again]:
    """A file that is no event lies in the outbox."""
    folder = Path(urlsplit(stage.fleet.status()["store_url"]).path) / "outbox"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "01900000-0000-7000-8000-000000000000.json"
    file.write_text("not an event")
    try:
        yield lambda: None
    finally:
        file.unlink(missing_ok=True)


@drill("MediaflowTargetDown")
def _a_worker_that_hangs(stage: Stage) -> Iterator[Again]:
    """A worker's process is frozen."""
    with stage.frozen(stage.worker("thumbnail")):
        yield lambda: None


@drill("MediaflowNoMetrics")
def _a_door_that_hangs(stage: Stage) -> Iterator[Again]:
    """All processes of the front door are frozen."""
    with stage.frozen("ingest"):
        yield lambda: None


@drill("MediaflowBrokerNodeLost")
def _a_node_that_is_gone(stage: Stage) -> Iterator[Again]:
    """The second of two nodes is killed."""
    stage.spare.kill()
    try:
        yield lambda: None
    finally:
        stage.spare.start()


@drill("MediaflowUnroutable", "MediaflowUploadsRefused", stage="fleet without outbox")
def _bindings_that_are_gone(stage: Stage) -> Iterator[Again]:
    """Every queue is taken from the exchange, and uploads go on, with no outbox to wait in."""
    queues = ("media.thumbnail", "media.transcode", "media.subtitle")
    with stage.channel() as channel:
        for queue in queues:
            channel.queue_unbind(queue, "media.topic", "media.*")
    try:
        yield lambda: _upload(stage)
    finally:
        with stage.channel() as channel:
            for queue in queues:
                channel.queue_bind(queue, "media.topic", "media.*")


@drill("MediaflowQueueFull", stage="fleet without outbox")
def _a_full_queue(stage: Stage) -> Iterator[Again]:
    """A policy lets three messages into transcode's queue, and uploads go on."""
    stage.rabbitmqctl("set_policy", "--apply-to", "queues", "drill", r"^media\.transcode$", '{"max-length": 3}')
    try:
        yield lambda: stage.burst(5)
    finally:
        stage.rabbitmqctl("clear_policy", "drill")


def _upload(stage: Stage) -> None:
    with suppress(OSError):
        asset = {"assetId": f"drill-{time.time_ns()}", "ownerId": "drill", "durationSec": 1}
        stage.fleet.post("/media/upload", json.dumps(asset).encode(), "application/json")


@contextmanager
def _drill_queue(stage: Stage) -> Iterator[None]:
    with stage.channel() as channel:
        channel.queue_declare(DRILL_QUEUE, durable=True, arguments={"x-queue-type": "quorum"})
        channel.queue_bind(DRILL_QUEUE, "media.topic", "media.*")
    try:
        yield
    finally:
        with stage.channel() as channel:
            channel.queue_delete(DRILL_QUEUE)


def _put_back(stage: Stage, ended: threading.Event) -> None:
    with suppress(pika.exceptions.AMQPError), stage.channel() as channel:
        channel.basic_qos(prefetch_count=10)
        for method, _, _ in channel.consume(DRILL_QUEUE, inactivity_timeout=0.2):
            if ended.is_set():
                return
            if method is not None:
                channel.basic_nack(method.delivery_tag, requeue=True)
