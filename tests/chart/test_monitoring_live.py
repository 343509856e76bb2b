"""Every expression of rules and dashboards, asked of a real Prometheus that reads a running fleet and its broker."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest
import yaml

from local_fleet.ports import free_ports
from local_fleet.run_folder import RunFolder
from process_end import end_process
from prometheus_process import FAMILIES, ROOT, Prometheus, configuration, targets_of
from promql_names import metric_names, panel_expressions, rule_expressions
from rendered_chart import PROMETHEUS, Rendering, the
from whole_fleet import WholeFleet

#: Panels that have nothing to show where no cluster is.
CLUSTER_ONLY = {"Mediaflow: load test / CPU of the front door / CPU"}

VARIABLES = {
    "MEDIAFLOW_PROFILE": "simulated",
    "MEDIAFLOW_FLEET_CONSOLE": "on",
    "MEDIAFLOW_FLEET_WORKERS": "thumbnail=1, transcode=1, subtitle=1",
    "MEDIAFLOW_STORE_FSYNC": "false",
    "MEDIAFLOW_INGEST_WORKERS": "1",
    "MEDIAFLOW_INGEST_CAPACITY": "100000",
}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, fleet_guard: None) -> Iterator[WholeFleet]:
    fleet = WholeFleet(RunFolder.at(tmp_path_factory.mktemp("fleet") / ".run"), VARIABLES)
    fleet.mediaflow("up")
    yield fleet
    fleet.end()


@pytest.fixture(scope="module")
def prometheus(fleet: WholeFleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Watch a burst in which some assets fail, a refused request and a short load test."""
    folder = tmp_path_factory.mktemp("prometheus")
    (port,) = free_ports(1)
    targets = targets_of(fleet) | {"load": [f"127.0.0.1:{port}"]}
    prometheus = Prometheus(folder, configuration(targets, []))
    load = load_test(fleet, port, folder)
    try:
        prometheus.await_result("count(mediaflow_worker_consuming == 1) == 3")
        fleet.post("/media/burst", b'{"count": 60}', "application/json")
        with pytest.raises(HTTPError, match=r"4\d\d"):
            fleet.post("/media/upload", b"{}", "application/json")
        fleet.until(lambda: fleet.dead_letters()["subtitle"] > 0)
        for seen in (
            'rate(mediaflow_jobs_total{outcome="rejected"}[20s]) > 0',
            'mediaflow_load_uploads_total{outcome="accepted"} > 1',
            "mediaflow_console_lag_seconds >= 0",
            'rabbitmq_detailed_queue_messages{queue="media.subtitle.dlq"} > 0',
            "rate(rabbitmq_detailed_channel_messages_acked_total[20s]) > 0",
        ):
            prometheus.await_result(seen)
        yield prometheus
    finally:
        end_process(load)
        prometheus.end()


def load_test(fleet: WholeFleet, port: int, folder: Path) -> subprocess.Popen[bytes]:
    settings = {
        "HOST": fleet.url,
        "RATE": "4",
        "REQUESTS": "2000",
        "RAMP_S": "0",
        "USERS": "4",
        "METRICS_PORT": str(port),
    }
    named = {f"MEDIAFLOW_LOAD_{name}": value for name, value in settings.items()}
    with (folder / "load.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "load" / "run.py")], env=os.environ | named, stdout=log, stderr=log
        )


@pytest.fixture(scope="module")
def known(prometheus: Prometheus) -> set[str]:
    """Name what was read, and what a cluster has."""
    clusters = yaml.safe_load((Path(__file__).parent / "cluster_metrics.yaml").read_text())
    return prometheus.names().union(*(each["names"] for each in clusters.values()))


def test_every_rule_runs_and_names_metrics_that_somebody_tells(prometheus: Prometheus, known: set[str]) -> None:
    for alert, expression in rule_expressions():
        prometheus.query(expression)
        assert metric_names(expression) - known == set(), alert


def test_every_panel_names_metrics_that_somebody_tells(known: set[str]) -> None:
    for panel, expression in panel_expressions():
        assert metric_names(expression) - known == set(), panel


def test_every_panel_shows_something_of_a_fleet_at_work(prometheus: Prometheus) -> None:
    empty = {panel for panel, expression in panel_expressions() if not prometheus.query(expression)}

    assert empty == CLUSTER_ONLY


def test_a_metric_that_nobody_tells_is_found(known: set[str]) -> None:
    wrong = 'sum by (queue) (rate(mediaflow_jobs_totals{a="mediaflow_x"}[5m])) / on (queue) mediaflow_jobs_running > 0'

    assert metric_names(wrong) == {"mediaflow_jobs_totals", "mediaflow_jobs_running"}
    assert metric_names(wrong) - known == {"mediaflow_jobs_totals"}


def test_the_broker_is_asked_here_for_what_the_chart_asks_it_for() -> None:
    objects = Rendering({"monitoring": {"enabled": True}}, apis=PROMETHEUS).objects()
    detailed = the(objects, "PodMonitor", "-rabbitmq")["spec"]["podMetricsEndpoints"][1]

    assert detailed["params"]["family"] == list(FAMILIES)
    compose = yaml.safe_load((ROOT / "compose" / "prometheus.yaml").read_text())["scrape_configs"]
    assert [each["params"]["family"] for each in compose if "params" in each] == [list(FAMILIES)]
