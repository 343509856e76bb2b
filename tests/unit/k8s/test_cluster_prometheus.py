"""What the demonstration makes of a cluster's Prometheus. Its answers are cut from those of one on kind."""

import json
from pathlib import Path
from typing import Any

import pytest
from mediaflow_k8s.kubectl import Kubectl
from mediaflow_k8s.prometheus import Prometheus

TARGETS = {
    "activeTargets": [
        {
            "scrapePool": "podMonitor/films/films-worker/0",
            "scrapeUrl": "http://10.244.1.9:9100/metrics",
            "health": "up",
            "lastError": "",
        },
        {
            "scrapePool": "podMonitor/films/films-worker/0",
            "scrapeUrl": "http://10.244.2.9:9100/metrics",
            "health": "unknown",
            "lastError": "",
        },
        {
            "scrapePool": "serviceMonitor/films/films-ingest/0",
            "scrapeUrl": "http://10.244.1.7:8080/metrics",
            "health": "down",
            "lastError": "context deadline exceeded",
        },
    ]
}
RULES = {
    "groups": [
        {"file": "/etc/prometheus/rules/p/films-films-0a1b.yaml", "rules": [{"name": "MediaflowLag", "health": "ok"}]},
        {"file": "/etc/prometheus/rules/p/monitoring-etcd-2c3d.yaml", "rules": [{"name": "EtcdDown", "health": "ok"}]},
    ]
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Prometheus:
    def run(_: Kubectl, *words: object, **__: Any) -> str:
        return json.dumps({"status": "success", "data": RULES if "/rules?" in str(words[-1]) else TARGETS})

    monkeypatch.setattr(Kubectl, "run", run)
    return Prometheus(Kubectl(Path("kubectl"), Path("config"), "films"), "monitoring")


def test_a_target_counts_as_read_only_when_its_last_scrape_went_well(server: Prometheus) -> None:
    assert server.targets() == {
        "podMonitor/films/films-worker/0": {
            "http://10.244.1.9:9100/metrics": "",
            "http://10.244.2.9:9100/metrics": "not read yet",
        },
        "serviceMonitor/films/films-ingest/0": {"http://10.244.1.7:8080/metrics": "context deadline exceeded"},
    }


def test_the_rules_of_others_are_not_counted(server: Prometheus) -> None:
    assert [rule["name"] for rule in server.rules("films", "films")] == ["MediaflowLag"]
