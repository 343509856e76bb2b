"""What a drill hurts: a small fleet of its own with its broker, a further node, and a Prometheus that reads them."""

import json
import os
import re
import signal
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

import pika
import yaml
from pika.adapters.blocking_connection import BlockingChannel

from local_fleet.broker import PrivateBroker
from local_fleet.run_folder import RunFolder
from mediaflow_drills.fast_rules import fast_rules
from mq_workers import rabbitmqctl
from prometheus_process import Prometheus, configuration, targets_of
from promql_names import CHART
from whole_fleet import WholeFleet

#: What drills leave behind in the queues of slow and failing channels.
_LEFT = ("media.transcode", "media.transcode.dlq", "media.subtitle.dlq")

#: A queue that the fleet does not know, which gets every event too.
DRILL_QUEUE = "media.drill"

_VARIABLES = {
    "MEDIAFLOW_PROFILE": "simulated",
    "MEDIAFLOW_FLEET_CONSOLE": "on",
    "MEDIAFLOW_FLEET_WORKERS": "thumbnail=1, transcode=1, subtitle=1",
    "MEDIAFLOW_STORE_FSYNC": "false",
    "MEDIAFLOW_INGEST_WORKERS": "1",
    "MEDIAFLOW_INGEST_CAPACITY": "300",
}

#: What Prometheus has to know of the fleet before a drill means anything.
_SEEN_BEFORE_ANY_HARM = (
    "count(mediaflow_worker_consuming == 1) == 3",
    "count(mediaflow_ingest_uploads_total) > 0",
    "count(count by (rabbitmq_node) (rabbitmq_identity_info)) == 2",
)


class Stage:
    """One fleet; ended by `end`. Transcode works for a minute on each asset, and nine of ten subtitles fail."""

    def __init__(self, folder: Path, *, outbox: bool) -> None:
        """Bring all of it up."""
        folder.mkdir(parents=True)
        channels = folder / "channels.toml"
        channels.write_text(
            _slow_and_failing(resources.files("mq_common").joinpath("channels.toml").read_text("utf-8"))
        )
        own = {"MEDIAFLOW_CHANNELS": str(channels), "MEDIAFLOW_OUTBOX": "on" if outbox else "off"}
        with ExitStack() as started:  # what is up already is ended when the rest does not come up
            self.fleet = WholeFleet(RunFolder.at(folder / ".run"), _VARIABLES | own)
            started.callback(self.fleet.end)
            self.spare = PrivateBroker(folder / "spare")
            started.callback(self.spare.kill)
            self.fleet.mediaflow("up")
            self.node = PrivateBroker(self.fleet.folder.path / "broker")
            self.prometheus = self._read_all(folder)
            started.callback(self.prometheus.end)
            for seen in _SEEN_BEFORE_ANY_HARM:
                self.prometheus.await_result(seen)
            self._started = started.pop_all()

    def end(self) -> None:
        """End all of it."""
        self._started.close()

    def _read_all(self, folder: Path) -> Prometheus:
        rules = folder / "rules.yaml"
        rules.write_text(yaml.safe_dump(fast_rules(yaml.safe_load((CHART / "rules" / "alerts.yaml").read_text()))))
        targets = targets_of(self.fleet)
        targets["rabbitmq"].append(urlsplit(self.spare.start().metrics_url).netloc)
        return Prometheus(folder / "prometheus", configuration(targets, [rules]))

    def burst(self, count: int) -> None:
        """Send uploads; whether they are taken is not the question."""
        with suppress(OSError):
            self.fleet.post("/media/burst", json.dumps({"count": count}).encode(), "application/json")

    @contextmanager
    def channel(self) -> Iterator[BlockingChannel]:
        """Open a channel at the broker for a moment."""
        assert self.node.address is not None
        connection = pika.BlockingConnection(pika.URLParameters(self.node.address.amqp_url))
        try:
            yield connection.channel()
        finally:
            with suppress(pika.exceptions.AMQPError):
                connection.close()

    def rabbitmqctl(self, *words: str) -> None:
        """Run the broker's own tool."""
        rabbitmqctl(self.node, *words)

    def cut_connections(self) -> None:
        """Close every connection to the broker, as a bad network does."""
        for each in self._manage("GET", "connections"):
            with suppress(OSError):
                self._manage("DELETE", f"connections/{quote(each['name'], safe='')}")

    def tidy(self) -> None:
        """Empty the queues that a drill leaves full."""
        for queue in _LEFT:
            with suppress(pika.exceptions.AMQPError), self.channel() as channel:
                channel.queue_purge(queue)

    @contextmanager
    def frozen(self, process: str) -> Iterator[None]:
        """Stop a process of the fleet and its children for a while, without ending them."""
        pid = self.node.pid if process == "broker" else self.fleet.status()["processes"][process]["pid"]
        pids = [pid, *_children(pid)]
        for each in pids:
            os.kill(each, signal.SIGSTOP)
        try:
            yield
        finally:
            for each in pids:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)

    def worker(self, channel: str) -> str:
        """Name a process of a channel."""
        return next(name for name in self.fleet.status()["processes"] if name.startswith(channel))

    def _manage(self, method: str, path: str) -> Any:
        assert self.node.address is not None
        parts = urlsplit(self.node.address.management_url)
        request = Request(f"http://{parts.hostname}:{parts.port}/api/{path}", method=method)
        credentials = f"{parts.username}:{parts.password}".encode()
        request.add_header("Authorization", f"Basic {b64encode(credentials).decode()}")
        with urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")


def until_firing(stage: Stage, alert: str, again: Any, limit_s: float) -> float:
    """Do `again` each second until the alert fires; gives the seconds. Raises TimeoutError."""
    begun = time.monotonic()
    while alert not in stage.prometheus.firing():
        if time.monotonic() - begun > limit_s:
            raise TimeoutError(
                f"{alert} did not fire within {limit_s:g} s; what fires: {sorted(stage.prometheus.firing())}"
            )
        again()
        time.sleep(1)
    return time.monotonic() - begun


def _children(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, children) for each in (child, *_children(child))]


def _slow_and_failing(channels: str) -> str:
    """Change the profile `simulated` of the packaged channels file."""
    head, mark, simulated = channels.partition("[profiles.simulated")
    simulated = re.sub(r"latency_ms = 2000", "latency_ms = 60000", simulated)
    simulated = re.sub(r"failure_rate = 0\.1", "failure_rate = 0.9", simulated)
    return head + mark + re.sub(r"workers = \{ min = 2, max = 8 \}", "workers = { min = 1, max = 1 }", simulated)
