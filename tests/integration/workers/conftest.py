import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pika
import pytest
from pydantic import SecretStr

from media_common.settings import StoreSettings
from media_common.store import open_store
from mq_common.channels import load_channels
from mq_common.publisher import ConfirmingPublisher
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from worker_process import WorkerProcess

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from media_fixtures.plugin import media_fixtures, silent_listener  # noqa: F401


@pytest.fixture
def start(amqp_url: str, tmp_path: Path) -> Iterator[Callable[..., WorkerProcess]]:
    """Start the worker of a channel; it is killed with its test."""
    started: list[subprocess.Popen[bytes]] = []

    def start_one(channel: str, **more: str) -> WorkerProcess:
        store_url, scratch = f"file://{tmp_path}/store", tmp_path / "scratch"
        log = tmp_path / f"worker-{len(started)}.log"
        scratch.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        settings = {
            "AMQP_URL": amqp_url,
            "MEDIAFLOW_STORE_URL": store_url,
            "MEDIAFLOW_MEDIA_SCRATCH_DIR": str(scratch),
            "MEDIAFLOW_HEALTH_PORT": "0",
            "MEDIAFLOW_LOG_FORMAT": "json",
        }
        with log.open("wb") as stderr:
            process = subprocess.Popen([sys.executable, "-m", channel], env=kept | settings | more, stderr=stderr)
        started.append(process)
        return WorkerProcess(channel, process, open_store(StoreSettings(store_url=store_url)), scratch, log)

    yield start_one
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def publisher(amqp_url: str) -> Iterator[ConfirmingPublisher]:
    """A publisher whose exchange and queues are there, as in a fleet that has been up before."""
    settings = BrokerSettings(amqp_url=SecretStr(amqp_url))
    declare_topology(settings, load_channels().values())
    publisher = ConfirmingPublisher(settings, name="test")
    yield publisher
    publisher.close()


@pytest.fixture
def waiting_in(amqp_url: str) -> Iterator[Callable[[str], int]]:
    """Count the messages that are ready in a queue."""
    connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
    channel = connection.channel()
    yield lambda queue: channel.queue_declare(queue, passive=True).method.message_count
    connection.close()
