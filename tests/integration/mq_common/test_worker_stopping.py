"""A worker that is asked to stop, with a real broker and without one."""

import contextlib
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pydantic import SecretStr

from local_fleet.broker import PrivateBroker
from mq_common import _session
from mq_common._crew import Crew
from mq_common._returns import Delivery, give_back
from mq_common._runner import JobRunner
from mq_common._session import Session
from mq_common._traffic import Traffic
from mq_common.channels import ChannelSpec
from mq_common.connection import connect
from mq_common.errors import JobInterrupted
from mq_common.events import MediaEvent
from mq_common.jobs import ErrorKinds, JobContext
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import RecordingJob, depth, eventually, probe, send, take, working
from wire import Wire

pytestmark = pytest.mark.usefixtures("declared")


def test_stopping_finishes_what_runs_and_returns_what_has_not_started_without_costing_it_an_attempt(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    release = threading.Event()
    job = RecordingJob(lambda event, context: release.wait(20))
    events = send(channel, spec, *(f"a-{number}" for number in range(7)))

    with working(spec, job, settings) as running:  # holds 4, runs 2
        eventually(lambda: len(job.ran) == 2)
        running.worker.stop()
        eventually(lambda: probe(running, "/readyz") == 503)
        eventually(lambda: depth(channel, spec.queue) == 5)
        release.set()
    assert running.codes == [0]

    left = [take(channel, spec.queue) for _ in range(5)]
    assert {MediaEvent.from_body(body).event_id for _, body in left} == {event.event_id for event in events[2:]}
    for properties, _ in left:
        assert not (properties.headers or {}).get("x-delivery-count")
        assert properties.message_id
        assert properties.headers["cloudEvents:specversion"] == "1.0"


def test_a_message_that_arrives_when_the_consumer_is_cancelled_already_goes_back_unharmed_and_is_not_begun(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = RecordingJob()
    connection = connect(settings, "late")
    with contextlib.closing(connection):
        session = session_of(connection, spec, job)
        session.subscribe()
        channel.confirm_delivery()  # confirmed and not ready any more: it was sent here before the cancel
        events = send(channel, spec, "a-1", "a-2", "a-3")
        eventually(lambda: depth(channel, spec.queue) == 0)
        with monkeypatch.context() as patch:  # what the broker sent is read after the round trip, not during it
            patch.setattr(session._channel, "basic_qos", lambda **_: None)
            patch.setattr(connection, "process_data_events", lambda **_: None)
            session.cancel()
        session.settle_until_idle(time.monotonic() + 10, lambda: None)
        session.linger()

        left = [take(channel, spec.queue) for _ in events]

    assert {MediaEvent.from_body(body).event_id for _, body in left} == {event.event_id for event in events}
    assert not any((properties.headers or {}).get("x-delivery-count") for properties, _ in left)
    assert job.ran == []


def session_of(connection: BlockingConnection, spec: ChannelSpec, job: RecordingJob) -> Session:
    """Give a worker's session without its loop; its job threads run."""
    stopping = threading.Event()
    runner = JobRunner(spec, job, worker="w", kinds=ErrorKinds(), stopping=stopping, cancelled=stopping)
    crew = Crew(spec.name, 1, runner, lambda: None)
    crew.start()
    return Session(connection, spec, crew, Traffic(spec.name))


def test_ten_restarts_under_load_put_nothing_into_the_dead_letter_queue(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    fragile = spec.model_copy(update={"prefetch": 50, "concurrency": 2})
    job = RecordingJob(lambda event, context: not time.sleep(0.005))
    assets = [f"a-{number}" for number in range(600)]
    send(channel, spec, *assets)

    for _ in range(10):
        with working(fragile, job, settings):
            seen = len(job.ran)
            eventually(lambda seen=seen: len(job.ran) >= seen + 20)  # type: ignore[misc]
    with working(fragile, job, settings):
        eventually(lambda: set(job.ran) == set(assets))

    assert [depth(channel, queue) for queue in (spec.queue, spec.dead_letter_queue)] == [0, 0]


def test_a_job_that_outlasts_the_grace_time_is_cancelled_and_its_message_returned_unharmed(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    def until_cancelled(event: MediaEvent, context: JobContext) -> bool:
        context.cancelled.wait(20)
        raise JobInterrupted("stopped")

    job = RecordingJob(until_cancelled)
    send(channel, spec, "long")

    with working(spec, job, settings, grace_s=0.2) as running:
        eventually(lambda: job.ran == ["long"])
    assert running.codes == [0]

    properties, _ = take(channel, spec.queue)
    assert not (properties.headers or {}).get("x-delivery-count")
    assert job.failures == []


def test_a_connection_that_is_lost_while_messages_are_given_back_is_no_reason_to_end_in_disorder(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = urlsplit(settings.amqp_url.get_secret_value())
    wire = Wire(str(address.hostname), int(address.port or 5672))
    login = address.netloc.rpartition("@")[0]
    wired = address._replace(netloc=f"{login}@127.0.0.1:{wire.port}").geturl()
    release, given_back = threading.Event(), threading.Event()

    def give_back_into_the_void(*arguments: Any) -> list[Delivery]:
        wire.break_all()
        given_back.set()
        return give_back(*arguments)

    monkeypatch.setattr(_session, "give_back", give_back_into_the_void)
    job = RecordingJob(lambda event, context: release.wait(20))
    send(channel, spec, *(f"a-{number}" for number in range(4)))

    try:
        with working(spec, job, settings.model_copy(update={"amqp_url": SecretStr(wired)})) as running:
            eventually(lambda: len(job.ran) == 2)
            running.worker.stop()
            eventually(given_back.is_set)
            release.set()
    finally:
        wire.close()
    assert running.codes == [0]
    eventually(lambda: depth(channel, spec.queue) == 4)


@pytest.mark.slow
def test_a_worker_stopped_while_the_broker_is_gone_lets_its_job_finish(
    own_broker: PrivateBroker, spec: ChannelSpec
) -> None:
    settings = BrokerSettings(amqp_url=SecretStr(own_broker.start().amqp_url))
    declare_topology(settings, [spec])
    release, finished = threading.Event(), threading.Event()

    def work(event: MediaEvent, context: JobContext) -> bool:
        release.wait(20)
        finished.set()
        return True

    job = RecordingJob(work)
    connection = pika.BlockingConnection(pika.URLParameters(settings.amqp_url.get_secret_value()))
    send(connection.channel(), spec, "long")
    connection.close()

    with working(spec, job, settings) as running:
        eventually(lambda: job.ran == ["long"])
        own_broker.kill()
        eventually(lambda: probe(running, "/readyz") == 503)
        running.worker.stop()
        release.set()
    assert finished.is_set()
    assert running.codes == [0]
