"""What pods do in a run on a cluster, done by processes here: the client's commands and the module beside the workers.

Files lie as the kubelet lays them out of the ConfigMap; broker and S3 service are real.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mediaflow_chaos.checker import ChannelAccount
from mediaflow_chaos.fleet import CHANNELS, CHANNELS_FILE
from mediaflow_k8s.client_pod import code_volume
from mediaflow_k8s.ledger import repeated, report_of

from ingest_server import IngestServer
from mq_common.simulation import fails
from s3_service import S3Service

_SEED = 4711
_LIMIT_S, _POLL_S = 60.0, 0.5


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Service]:
    service = S3Service()
    service.make_bucket()
    yield service
    service.close()


@pytest.fixture
def mounted(tmp_path: Path) -> Path:
    config_map, volume = code_volume("code", sitecustomize=True)
    for item in volume["configMap"]["items"]:
        file = tmp_path / "mounted" / item["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(config_map["data"][item["key"]])
    return tmp_path / "mounted"


@pytest.fixture
def environment(s3: S3Service, mounted: Path, amqp_url: str, management_url: str) -> dict[str, str]:
    """As the chart gives it to every pod, with the test's own PYTHONPATH beside it."""
    return s3.environment() | {
        "AMQP_URL": amqp_url,
        "MEDIAFLOW_MANAGEMENT_URL": management_url,
        "MEDIAFLOW_STORE_URL": s3.url,
        "MEDIAFLOW_CHANNELS": str(CHANNELS_FILE),
        "MEDIAFLOW_PROFILE": "simulated",
        "MEDIAFLOW_HEALTH_PORT": "0",
        "PYTHONPATH": str(mounted),
        "TMPDIR": str(mounted.parent),
    }


@pytest.fixture
def ingest(tmp_path: Path, environment: dict[str, str], amqp_url: str) -> Iterator[IngestServer]:
    own = {name: value for name, value in environment.items() if name not in ("AMQP_URL", "PYTHONPATH")}
    server = IngestServer(tmp_path, amqp_url, **own).await_ready()
    yield server
    server.stop()


@pytest.fixture
def workers(environment: dict[str, str], tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    started = []
    for channel in CHANNELS:
        with (tmp_path / f"{channel}.log").open("wb") as log:
            command = [sys.executable, "-m", channel]
            started.append(subprocess.Popen(command, env=_inherited() | environment, stdout=log, stderr=log))
    yield started
    for worker in started:
        worker.send_signal(signal.SIGTERM)
    for worker in started:
        worker.wait(30)


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}


def _ask(environment: dict[str, str], command: str, **given: Any) -> Any:
    words = [sys.executable, "-m", "mediaflow_k8s.in_pod", command, json.dumps(given)]
    done = subprocess.run(words, env=_inherited() | environment, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def _await_drained(environment: dict[str, str]) -> None:
    deadline = time.monotonic() + _LIMIT_S
    while True:
        told = _ask(environment, "traffic")
        left = {name: each["total"] for name, each in told["queues"].items() if not name.endswith(".dlq")}
        if not any(left.values()) and not told["outbox"]:
            return
        assert time.monotonic() < deadline, left
        time.sleep(_POLL_S)


def _provider_fails(channel: str, asset: str) -> bool:
    return channel == "subtitle" and fails(channel, asset, 0.1)


def test_a_load_from_a_pod_is_accounted_for_message_by_message(
    ingest: IngestServer, workers: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    plan = {"seed": _SEED, "rate": 20.0, "clients": 3, "one_in_is_file": 0, "one_in_is_burst": 25, "burst_size": 5}

    _ask(environment, "start-load", url=ingest.url, plan=plan | {"keep_connections": False}, clip=None)
    _await_results(environment, 12)
    stopped = _ask(environment, "stop-load", seed=_SEED, wait_s=_LIMIT_S)
    _await_drained(environment)
    gathered = _ask(environment, "evidence", seed=_SEED, channels=list(CHANNELS))

    report = report_of(_SEED, stopped, gathered, _provider_fails, [], 1.0)
    assert report.could_not_check == ""
    assert report.holds, [account.faults for account in report.accounts]
    assert {account.channel for account in report.accounts} == set(CHANNELS)
    assert min(_work(report.accounts).values()) >= 12
    assert repeated(gathered["observed"], _provider_fails) == {}


def _await_results(environment: dict[str, str], count: int) -> None:
    deadline = time.monotonic() + _LIMIT_S
    while _ask(environment, "ends", prefix=f"chaos-{_SEED}-", channels=["transcode"])["transcode"]["done"] < count:
        assert time.monotonic() < deadline
        time.sleep(_POLL_S)


def _work(accounts: list[ChannelAccount]) -> dict[str, int]:
    return {account.channel: account.done + account.dead_lettered for account in accounts}
