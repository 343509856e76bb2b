"""The worker loop against a real broker: how a message ends."""

import logging
import threading
from collections.abc import Iterator

import pika
import pytest
import structlog
from pika.adapters.blocking_connection import BlockingChannel

from mq_common.channels import ChannelSpec
from mq_common.errors import PermanentError, TransientError
from mq_common.events import MediaEvent
from mq_common.jobs import JobContext
from mq_common.logs import configure_logging
from mq_common.settings import BrokerSettings, LogSettings
from mq_workers import RecordingJob, depth, eventually, management, send, take, working

pytestmark = pytest.mark.usefixtures("declared")


@pytest.fixture
def plain_logging() -> Iterator[None]:
    """Give logging back to the other tests as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_work_is_done_and_acknowledged_after_it(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, management_url: str, vhost: str
) -> None:
    release = threading.Event()
    job = RecordingJob(lambda event, context: release.wait(20))
    send(channel, spec, "a")

    with working(spec, job, settings):
        eventually(lambda: job.ran == ["a"])
        eventually(
            lambda: management(management_url, f"queues/{vhost}/{spec.queue}").get("messages_unacknowledged") == 1
        )
        release.set()
    assert [depth(channel, queue) for queue in (spec.queue, spec.dead_letter_queue)] == [0, 0]


def test_many_quick_jobs_are_each_done_once_and_leave_nothing_behind(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    busy = spec.model_copy(update={"prefetch": 100, "concurrency": 4})
    assets = [f"a-{number}" for number in range(2000)]
    send(channel, spec, *assets)
    job = RecordingJob()

    with working(busy, job, settings):
        eventually(lambda: len(job.ran) == len(assets))
    assert sorted(job.ran) == sorted(assets)
    assert depth(channel, spec.queue) == 0  # what was not acknowledged would have come back


def test_an_event_of_our_publisher_goes_the_short_way_from_the_socket_to_its_job(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ways: list[object] = []
    monkeypatch.setattr("mq_common._session.Session._on_message", lambda *delivery: long_ways.append(delivery))
    monkeypatch.setattr("mq_common._crew.event_of", lambda *message: long_ways.append(message))
    assets = [f"a-{number}" for number in range(200)]
    send(channel, spec, *assets)
    job = RecordingJob()

    with working(spec, job, settings):
        eventually(lambda: len(job.ran) == len(assets) or long_ways)
    assert long_ways == []
    assert sorted(job.ran) == sorted(assets)


def test_a_message_in_several_frames_among_small_ones_is_worked_on_like_them(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    assets = [f"a-{number}" for number in range(60)]
    for number, asset in enumerate(assets):
        body = MediaEvent.create(asset_id=asset, owner_id="u").to_body()
        padding = b" " * 200_000 if number % 7 == 0 else b""
        channel.basic_publish("", spec.queue, body + padding, pika.BasicProperties(delivery_mode=2))
    job = RecordingJob()

    with working(spec.model_copy(update={"prefetch": 30}), job, settings):
        eventually(lambda: len(job.ran) == len(assets))
    assert sorted(job.ran) == sorted(assets)
    assert [depth(channel, queue) for queue in (spec.queue, spec.dead_letter_queue)] == [0, 0]


def test_every_job_has_its_line_in_the_log_while_the_worker_runs(
    settings: BrokerSettings,
    spec: ChannelSpec,
    channel: BlockingChannel,
    capsysbinary: pytest.CaptureFixture[bytes],
    plain_logging: None,
) -> None:
    configure_logging(spec.name, LogSettings(log_format="json"))
    send(channel, spec, *(f"a-{number}" for number in range(300)))
    lines = bytearray()

    def count() -> int:
        lines.extend(capsysbinary.readouterr().err)
        return lines.count(b'"event":"job_done"')

    with working(spec.model_copy(update={"prefetch": 100}), RecordingJob(), settings):
        eventually(lambda: count() == 300)
    assert all(line.startswith(b"{") and line.endswith(b"}") for line in lines.splitlines())
    assert count() == 300


def test_a_spent_retry_budget_ends_in_the_dead_letter_queue_with_reason_rejected(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    def fail(event: MediaEvent, context: JobContext) -> bool:
        raise TransientError("provider answered 503")

    job = RecordingJob(fail)
    (event,) = send(channel, spec, "a")

    with working(spec, job, settings):
        properties, body = take(channel, spec.dead_letter_queue)

    assert job.ran == ["a", "a"]
    assert MediaEvent.from_body(body) == event
    (death,) = properties.headers["x-death"]
    assert (death["reason"], death["count"], death["queue"]) == ("rejected", 1, spec.queue)
    assert job.failures[0].attempts == 2


def test_a_permanent_error_costs_one_attempt(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    def refuse(event: MediaEvent, context: JobContext) -> bool:
        raise PermanentError("not a video")

    job = RecordingJob(refuse)
    send(channel, spec, "a")

    with working(spec, job, settings):
        take(channel, spec.dead_letter_queue)
    assert job.ran == ["a"]
