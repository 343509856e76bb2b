"""The worker loop against a real broker."""

import json
import logging
import threading
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import quote, unquote, urlsplit

import pika
import pytest
import structlog
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from local_fleet.broker import PrivateBroker
from mq_common.channels import ChannelSpec
from mq_common.connection import connect
from mq_common.errors import BrokerUnreachable, JobInterrupted, PermanentError, TopologyMismatch, TransientError
from mq_common.events import MediaEvent
from mq_common.jobs import JobContext
from mq_common.logs import configure_logging
from mq_common.publisher import event_message
from mq_common.settings import BrokerSettings, LogSettings
from mq_common.topology import declare_topology
from mq_workers import RecordingJob, RunningWorker, depth, eventually, working


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
    parts = urlsplit(url)
    login = b64encode(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()).decode()
    request = urllib.request.Request(
        f"http://{parts.hostname}:{parts.port}/api/{path}", method=method, headers={"Authorization": f"Basic {login}"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
    return dict(json.loads(text)) if text.startswith(b"{") else {"rows": json.loads(text or b"[]")}


def probe(running: RunningWorker, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{running.worker.health.port}{path}", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def plain_logging() -> Iterator[None]:
    """Give logging back to the other tests as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def declared(settings: BrokerSettings, spec: ChannelSpec) -> None:
    declare_topology(settings, [spec])


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


def close_connections(management_url: str, vhost: str) -> int:
    rows = management(management_url, f"vhosts/{vhost}/connections")["rows"]
    assert isinstance(rows, list)
    ours = [row["name"] for row in rows if "transcode@" in str(row.get("client_properties", {}))]
    for name in ours:
        management(management_url, f"connections/{quote(name, safe='')}", "DELETE")
    return len(ours)


def test_a_lost_connection_is_opened_again_and_the_message_is_delivered_again_but_never_run_twice_at_once(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, management_url: str, vhost: str
) -> None:
    running_now, most_at_once = 0, 0
    lock, release, done = threading.Lock(), threading.Event(), set[str]()

    def work(event: MediaEvent, context: JobContext) -> bool:
        nonlocal running_now, most_at_once
        with lock:
            running_now += 1
            most_at_once = max(most_at_once, running_now)
        release.wait(20)
        with lock:
            running_now -= 1
            fresh = event.event_id not in done
            done.add(event.event_id)
        return fresh

    job = RecordingJob(work)
    send(channel, spec, "a")

    with working(spec, job, settings) as running:
        eventually(lambda: job.ran == ["a"])
        eventually(lambda: close_connections(management_url, vhost) == 1)
        eventually(lambda: probe(running, "/readyz") == 503)
        eventually(lambda: probe(running, "/readyz") == 200)
        release.set()
        eventually(lambda: job.ran == ["a", "a"])

    assert most_at_once == 1
    assert [depth(channel, queue) for queue in (spec.queue, spec.dead_letter_queue)] == [0, 0]


def test_a_consumer_cancelled_by_the_broker_subscribes_again(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    job = RecordingJob()

    with working(spec, job, settings) as running:
        eventually(lambda: probe(running, "/readyz") == 200)
        channel.queue_delete(spec.queue)

        def worked() -> bool:
            with_queue = channel.connection.channel()
            try:
                send(with_queue, spec, "after")
            finally:
                with_queue.close()
            return "after" in job.ran

        eventually(worked)
        assert running.codes == []


def test_probes_follow_the_loop_itself(
    settings: BrokerSettings, spec: ChannelSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mq_common.worker.HUNG_AFTER_S", 1.0)
    blocked = threading.Event()

    with working(spec, RecordingJob(), settings) as running:
        eventually(lambda: probe(running, "/readyz") == 200)
        assert [probe(running, path) for path in ("/healthz", "/metrics", "/elsewhere")] == [200, 200, 404]
        connection = running.worker._connection
        assert connection is not None
        connection.add_callback_threadsafe(lambda: blocked.wait(20))
        eventually(lambda: probe(running, "/healthz") == 503)
        blocked.set()
        eventually(lambda: probe(running, "/healthz") == 200)


def test_without_a_broker_the_worker_gives_up_after_the_start_limit(spec: ChannelSpec) -> None:
    nobody = BrokerSettings(amqp_url=SecretStr("amqp://guest:guest@127.0.0.1:1/%2f"), start_limit_s=0.3)

    with working(spec, RecordingJob(), nobody) as running:
        eventually(lambda: running.codes)
    assert isinstance(running.codes[0], BrokerUnreachable)


def test_a_topology_mismatch_ends_the_worker(settings: BrokerSettings, spec: ChannelSpec) -> None:
    other = spec.model_copy(update={"delivery_limit": 99})

    with working(other, RecordingJob(), settings) as running:
        eventually(lambda: running.codes)
    assert isinstance(running.codes[0], TopologyMismatch)


def test_heartbeats_go_on_during_a_job_longer_than_the_heartbeat(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    nervous = settings.model_copy(update={"heartbeat_s": 1})
    connect(nervous, "probe").close()
    release = threading.Event()
    job = RecordingJob(lambda event, context: release.wait(20))
    send(channel, spec, "long")

    with working(spec, job, nervous):
        eventually(lambda: job.ran == ["long"])
        assert not release.wait(4)  # four heartbeats: the broker drops a silent peer after two
        release.set()
    assert job.ran == ["long"]
    assert depth(channel, spec.queue) == 0
