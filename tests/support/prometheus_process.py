"""A real Prometheus that reads a fleet of a test, its broker and whatever else has metrics."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import yaml

from local_fleet.broker import PrivateBroker
from local_fleet.ports import free_ports
from process_end import end_process
from whole_fleet import WholeFleet

ROOT = Path(__file__).resolve().parents[2]

#: What the chart asks of a broker's /metrics/detailed; a test keeps both equal.
FAMILIES = ("queue_coarse_metrics", "queue_metrics", "channel_queue_metrics", "channel_queue_exchange_metrics")

#: On every sample, as the chart's monitors put it there.
SCOPE = {"namespace": "here", "release": "films"}

_PATIENCE_S = 60.0


def targets_of(fleet: WholeFleet) -> dict[str, list[str]]:
    """Give the addresses of a fleet's metrics by job."""
    found: dict[str, list[str]] = {}
    for name, process in fleet.status()["processes"].items():
        if process["metrics"]:
            job = name if name in ("ingest", "console") else "worker"
            found.setdefault(job, []).append(urlsplit(process["metrics"]).netloc)
    address = PrivateBroker(fleet.folder.path / "broker").address
    assert address is not None
    assert address.metrics_url, "the fleet's private broker tells no metrics"
    return found | {"rabbitmq": [urlsplit(address.metrics_url).netloc]}


def configuration(targets: Mapping[str, Iterable[str]], rules: Iterable[Path]) -> dict[str, Any]:
    """Say prometheus.yml: everything is read each second."""
    jobs = [_job(job, list(addresses)) for job, addresses in targets.items()]
    if brokers := list(targets.get("rabbitmq", [])):
        detailed = {"metrics_path": "/metrics/detailed", "params": {"family": list(FAMILIES)}}
        jobs.append(_job("rabbitmq-queues", brokers) | detailed)
    return {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(each) for each in rules],
        "scrape_configs": jobs,
    }


def _job(name: str, addresses: list[str]) -> dict[str, Any]:
    return {"job_name": name, "static_configs": [{"targets": addresses, "labels": SCOPE}]}


class Prometheus:
    """One process with its data in `folder`; ended by `end`."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        """Start it and wait until it answers."""
        program = shutil.which("prometheus")
        assert program, "the tests need prometheus on the PATH: apt-get install prometheus"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "prometheus.yaml"
        file.write_text(yaml.safe_dump(dict(config)))
        (port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{port}"
        options = [f"--config.file={file}", f"--storage.tsdb.path={folder / 'data'}", "--log.level=warn"]
        with (folder / "prometheus.log").open("wb") as log:
            self._process = subprocess.Popen(
                [program, *options, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log
            )
        self._log = folder / "prometheus.log"
        self._await(self._is_ready, "an answer")

    def end(self) -> None:
        """End it."""
        end_process(self._process)

    def ask(self, path: str, **query: str) -> Any:
        """Ask its API for `data`. Fails the test with what it has against a query."""
        try:
            with urlopen(f"{self.url}/api/v1/{path}?{urlencode(query)}", timeout=30) as answer:
                return json.load(answer)["data"]
        except HTTPError as error:
            raise AssertionError(f"{query}: {error.read().decode()}") from None

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Evaluate an expression now; gives the series of its result."""
        return list(self.ask("query", query=expression)["result"])

    def names(self) -> set[str]:
        """Give the names of all metrics that were read so far."""
        return set(self.ask("label/__name__/values"))

    def firing(self) -> set[str]:
        """Give the names of the alerts that fire."""
        return {each["labels"]["alertname"] for each in self.ask("alerts")["alerts"] if each["state"] == "firing"}

    def await_result(self, expression: str) -> None:
        """Wait until an expression has a result."""
        self._await(lambda: bool(self.query(expression)), expression)

    def _is_ready(self) -> bool:
        assert self._process.poll() is None, self._log.read_text()
        try:
            with urlopen(f"{self.url}/-/ready", timeout=5):
                return True
        except OSError:
            return False

    def _await(self, condition: Any, what: str) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"{what} did not come: {self._log.read_text()[-2000:]}"
            time.sleep(0.1)
