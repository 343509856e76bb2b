"""What a drill on a cluster hurts: a release in a namespace of its own; and a Prometheus that reads the cluster."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import Json
from mediaflow_k8s.parameters import Missing, read_parameters
from mediaflow_k8s.tools import find_tools

from mediaflow_drills.fast_rules import fast_rules
from process_end import end_process
from prometheus_process import Prometheus

#: Who tells the metrics, by the label of its Service, and what it needs where it is not there.
_SOURCES = {
    "keda-operator": "KEDA with its metrics on (its chart's prometheus.operator.enabled=true)",
    "kube-state-metrics": "kube-state-metrics",
}


def find_cluster(environment: Mapping[str, str]) -> Installation:
    """Give the release that will be on the cluster which KUBECONFIG names; nothing is made. Raises Missing."""
    fleet = Installation.of(read_parameters({"BROKERS": "1", **environment}), find_tools())
    fleet.check_cluster()
    if not fleet.has_keda:
        raise Missing("The cluster has no KEDA.")
    for name in _SOURCES:
        _metrics_path(fleet, name)
    return fleet


def _metrics_path(fleet: Installation, name: str) -> str:
    """Name the metrics of a Service, as the API server hands them through. Raises Missing."""
    label = f"app.kubernetes.io/name={name}"
    for service in fleet.kubectl.get("services", "--all-namespaces", "-l", label)["items"]:
        if port := _metrics_port(service):
            about = service["metadata"]
            return f"/api/v1/namespaces/{about['namespace']}/services/{about['name']}:{port}/proxy/metrics"
    raise Missing(f"The drill reads metrics of {_SOURCES[name]}, and the cluster has none.")


def _metrics_port(service: Json) -> int | None:
    ports = (
        each["port"] for each in service["spec"]["ports"] if each.get("name") in ("metrics", "http", "http-metrics")
    )
    return next(ports, None)


class ClusterStage:
    """One release; ended by `end`, with its namespace."""

    def __init__(self, folder: Path, fleet: Installation) -> None:
        """Install it, and read what the cluster says of it."""
        folder.mkdir(parents=True)
        self.fleet, self._ends = fleet, ExitStack()
        try:
            fleet.make_namespace()
            if not fleet.parameters.keep:
                self._ends.callback(fleet.remove_namespace)
            fleet.install()
            if not fleet.parameters.keep:
                self._ends.callback(fleet.helm.uninstall, limit_s=fleet.parameters.limit(240))
            rules = folder / "rules.yaml"
            rules.write_text(yaml.safe_dump(fast_rules(self._rules())))
            self.prometheus = Prometheus(folder / "prometheus", self._configuration(rules))
            self._ends.callback(self.prometheus.end)
            self.prometheus.await_result("count(up == 1) == 2")
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End all of it."""
        self._ends.close()

    def tidy(self) -> None:
        """Nothing is left: what a drill changed was put back."""

    def kubectl(self, *words: str) -> None:
        """Run a subcommand in the release's namespace."""
        self.fleet.kubectl.run(*words)

    def worker(self, channel: str) -> str:
        """Name a channel's Deployment."""
        return f"deployment/{self.fleet.workers(channel)['metadata']['name']}"

    @contextmanager
    def mended_afterwards(self) -> Iterator[None]:
        """Put back what is changed, as whoever installed it would."""
        try:
            yield
        finally:
            self.fleet.mend()

    def _rules(self) -> dict[str, Any]:
        """Give the alerts as the release would install them."""
        parameters = self.fleet.parameters
        manifest = self.fleet.helm.rendered(
            "monitoring-rules", *self.fleet.values_files({"monitoring": {"enabled": True}})
        )
        rules: dict[str, Any] = yaml.safe_load(manifest)["spec"]
        assert parameters.namespace in manifest
        return rules

    def _configuration(self, rules: Path) -> dict[str, Any]:
        """Say prometheus.yml. Labels are as the Prometheus Operator makes them: KEDA's namespace is put over all."""
        address = self._proxy()
        keda, state = (_metrics_path(self.fleet, name) for name in _SOURCES)
        keda_namespace = keda.split("/")[4]
        return {
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s", "evaluation_interval": "1s"},
            "rule_files": [str(rules)],
            "scrape_configs": [
                {
                    "job_name": "keda",
                    "metrics_path": keda,
                    "static_configs": [{"targets": [address], "labels": {"namespace": keda_namespace}}],
                },
                {
                    "job_name": "kube-state-metrics",
                    "metrics_path": state,
                    "honor_labels": True,
                    "static_configs": [{"targets": [address]}],
                },
            ],
        }

    def _proxy(self) -> str:
        """Hand the cluster's API through, with what the kubeconfig has to show; gives the address."""
        command = [*self.fleet.kubectl.command, "proxy", "--port=0"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self._ends.callback(end_process, process)
        assert process.stdout is not None
        return process.stdout.readline().split()[-1]
