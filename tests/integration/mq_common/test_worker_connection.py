"""What a worker's connection goes through: lost, cancelled, refused, and kept alive beside a long job."""

import threading
from urllib.parse import quote

import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from mq_common.channels import ChannelSpec
from mq_common.connection import connect
from mq_common.errors import BrokerUnreachable, TopologyMismatch
from mq_common.events import MediaEvent
from mq_common.jobs import JobContext
from mq_common.settings import BrokerSettings
from mq_workers import RecordingJob, depth, eventually, management, probe, send, working

pytestmark = pytest.mark.usefixtures("declared")


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
