"""A message whose every worker dies: where it ends, what is said about it, and what becomes of its neighbours."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

from media_common.states import read_channel_state
from mq_common.channels import load_channels
from mq_common.events import MediaEvent
from mq_common.publisher import ConfirmingPublisher, Outcome, event_message
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import eventually, take
from worker_process import WorkerProcess

LIMIT = 2
LATENCY_MS = 1500


@pytest.fixture
def channels(tmp_path: Path) -> Path:
    """The fleet's transcode channel in the media profile, with jobs of a few seconds and a small delivery limit."""
    path = tmp_path / "channels.toml"
    path.write_text(f"""
        [channels.transcode]
        delivery_limit = {LIMIT}
        job_time_limit_s = 60

        [profiles.media.transcode]
        prefetch = 1
        concurrency = 1
        retries = {{ count = 3, initial_ms = 500, multiplier = 2.0, max_ms = 10000 }}
        workers = {{ min = 1, max = 8 }}
        messages_per_worker = 2
        simulated = {{ latency_ms = {LATENCY_MS}, failure_rate = 0.0 }}
    """)
    return path


@pytest.fixture
def broker_channel(amqp_url: str) -> Iterator[BlockingChannel]:
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    yield connection.channel()
    connection.close()


def test_a_message_whose_workers_all_die_is_dead_lettered_alone_and_its_asset_says_so(
    start: Callable[..., WorkerProcess],
    amqp_url: str,
    channels: Path,
    broker_channel: BlockingChannel,
) -> None:
    settings = BrokerSettings(amqp_url=SecretStr(amqp_url))
    declare_topology(settings, load_channels(channels).values())
    publisher = ConfirmingPublisher(settings, name="test")
    victim = MediaEvent.create(asset_id="victim", owner_id="tests")
    neighbours = [MediaEvent.create(asset_id=f"neighbour-{number}", owner_id="tests") for number in range(3)]
    for event in (victim, *neighbours):
        assert publisher.publish(event_message(event)) is Outcome.CONFIRMED
    publisher.close()

    for said in ["job_started"] * LIMIT + ["last_delivery"]:
        worker = start("transcode", MEDIAFLOW_CHANNELS=str(channels))
        worker.await_line(said, victim.event_id)
        worker.crash()
    survivor = start("transcode", MEDIAFLOW_CHANNELS=str(channels))

    for event in neighbours:
        survivor.await_state(event.asset_id, "done")
    survivor.await_state("victim", "dead-lettered")
    state = read_channel_state(survivor.store, "victim", "transcode")
    assert state.error is not None
    assert (state.error["reason"], state.error["errorClass"]) == ("delivery_limit", "WorkerLost")
    assert death_in(broker_channel, "media.transcode.dlq") == ("victim", "delivery_limit", 1)
    assert broker_channel.queue_declare("media.transcode", passive=True).method.message_count == 0


def death_in(channel: BlockingChannel, queue: str) -> tuple[str, str, int]:
    """Take the only dead letter: its asset, and why and how often it died."""
    properties, body = take(channel, queue)
    (death,) = properties.headers["x-death"]
    assert channel.queue_declare(queue, passive=True).method.message_count == 0
    return MediaEvent.from_body(body).asset_id, death["reason"], death["count"]


def test_a_job_on_its_last_delivery_that_ends_well_leaves_no_bad_word(
    start: Callable[..., WorkerProcess], amqp_url: str, channels: Path
) -> None:
    settings = BrokerSettings(amqp_url=SecretStr(amqp_url))
    declare_topology(settings, load_channels(channels).values())
    publisher = ConfirmingPublisher(settings, name="test")
    publisher.publish(event_message(MediaEvent.create(asset_id="late", owner_id="tests")))
    publisher.close()

    for _ in range(LIMIT):
        worker = start("transcode", MEDIAFLOW_CHANNELS=str(channels))
        worker.await_line("job_started", '"late"')
        worker.crash()
    last = start("transcode", MEDIAFLOW_CHANNELS=str(channels))
    last.await_line("last_delivery")
    eventually(lambda: read_channel_state(last.store, "late", "transcode").state == "running")
    last.await_state("late", "done")

    eventually(lambda: not [key for key in last.store.list_keys("assets/late/") if key.endswith("failure.json")])
