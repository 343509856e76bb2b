"""The fleet under test: real ingest, real workers, each kept running, each by way of a wire to the broker."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from local_fleet.ports import free_ports
from mediaflow_chaos.member import Member, wait_until

CHANNELS = ("thumbnail", "transcode", "subtitle")
CHANNELS_FILE = Path(__file__).with_name("channels.toml")
_CHAOS_FOLDER = Path(__file__).parents[1]

#: A cold machine under load.
_START_LIMIT_S = 60.0
#: Short, so that a silent broker is noticed within a short run.
HEARTBEAT_S = 5


@dataclass
class Fleet:
    """What runs, and where it leaves its traces."""

    folder: Path
    ingest_amqp_url: str
    worker_amqp_url: str
    workers_per_channel: int = 2
    channels_file: Path = CHANNELS_FILE
    variables: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store = self.folder / "store"
        self.effects = self.folder / "effects.jsonl"
        self.logs = self.folder / "logs"
        #: How many seconds longer every access to the store takes, while the file is there.
        self.slow_store = self.folder / "slow_store"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.effects.touch()
        self.port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{self.port}"
        self.ingest = Member(
            "ingest",
            [sys.executable, "-m", "mediaflow_chaos.slow_store", str(self.slow_store), "ingest"],
            self.environment(self.ingest_amqp_url) | {"PYTHONPATH": str(_CHAOS_FOLDER)},
            self.logs / "ingest.log",
            "ingest_started",
        )
        self.workers = [
            self._worker(channel, number) for number in range(1, self.workers_per_channel + 1) for channel in CHANNELS
        ]

    @property
    def members(self) -> list[Member]:
        """All that is kept running."""
        return [self.ingest, *self.workers]

    def start(self) -> None:
        """Start all and wait until all work. Raises TimeoutError."""
        for member in self.members:
            member.start()
        self.await_works(_START_LIMIT_S)

    def await_works(self, limit_s: float) -> None:
        """Wait until ingest is ready and every worker consumes."""
        wait_until(self._ingest_is_ready, f"readiness of ingest ({self.ingest.log})", limit_s)
        for worker in self.workers:
            wait_until(lambda worker=worker: worker.works, f"work of {worker.name} ({worker.log})", limit_s)

    def workers_of(self, channel: str) -> list[Member]:
        """The channel's workers."""
        return [worker for worker in self.workers if worker.name.startswith(channel)]

    def end(self) -> None:
        """Stop everything, workers last."""
        for member in self.members:
            member.end()

    def end_workers(self) -> None:
        """Stop the workers only, so that what is left in the queues can be looked at."""
        for worker in self.workers:
            worker.end()

    def _worker(self, channel: str, number: int) -> Member:
        name = f"{channel}-{number}"
        command = [sys.executable, "-m", "mediaflow_chaos.observed", str(self.effects), str(self.slow_store), channel]
        environment = self.environment(self.worker_amqp_url) | {"PYTHONPATH": str(_CHAOS_FOLDER)}
        return Member(name, command, environment, self.logs / f"{name}.log", "worker_consuming")

    def _ingest_is_ready(self) -> bool:
        try:
            with urlopen(f"{self.url}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False

    def environment(self, amqp_url: str) -> dict[str, str]:
        """Give the settings of every process, with this way to the broker."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        return inherited | {
            "AMQP_URL": amqp_url,
            "MEDIAFLOW_STORE_URL": f"file://{self.store}",
            "MEDIAFLOW_STORE_FSYNC": "false",
            "MEDIAFLOW_CHANNELS": str(self.channels_file),
            "MEDIAFLOW_PROFILE": "simulated",
            "MEDIAFLOW_LOG_FORMAT": "json",
            "MEDIAFLOW_HEARTBEAT_S": str(HEARTBEAT_S),
            "MEDIAFLOW_HEALTH_PORT": "0",
            "MEDIAFLOW_GRACE_S": "8",
            "MEDIAFLOW_INGEST_PORT": str(self.port),
            "MEDIAFLOW_INGEST_WORKERS": "2",
            "MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true",
            **self.variables,
        }
