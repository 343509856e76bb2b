"""The Prometheus of a cluster's Prometheus Operator, asked through the API server: whom it reads, what it sees."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import Json, Kubectl

_KIND = "prometheuses.monitoring.coreos.com"
#: The Service that the operator makes for every Prometheus of a namespace.
_SERVICE = "prometheus-operated:9090"
#: Kinds of monitors, and where each says its endpoints.
_MONITORS = {"serviceMonitor": "endpoints", "podMonitor": "podMetricsEndpoints"}


@dataclass(frozen=True, slots=True)
class Prometheus:
    """One server, in a namespace."""

    kubectl: Kubectl
    namespace: str

    @classmethod
    def find(cls, kubectl: Kubectl) -> "Prometheus | None":
        """Give the first one of the cluster; None where there is none."""
        if not kubectl.exists("customresourcedefinition", _KIND):
            return None
        found = kubectl.get(_KIND, "--all-namespaces")["items"]
        return cls(kubectl, str(found[0]["metadata"]["namespace"])) if found else None

    def ask(self, path: str, **query: str) -> Any:
        """Ask its API for `data`. Raises CommandFailed with what it has against it."""
        where = f"/api/v1/namespaces/{self.namespace}/services/{_SERVICE}/proxy/api/v1/{path}?{urlencode(query)}"
        return json.loads(self.kubectl.run("get", "--raw", where))["data"]

    def targets(self) -> dict[str, dict[str, str]]:
        """Give the error of every target by scrape pool and address; "" where the last scrape went well.

        A target that was not read yet has the error *not read yet*.
        """
        found: dict[str, dict[str, str]] = {}
        for each in self.ask("targets", state="active")["activeTargets"]:
            error = {"up": "", "unknown": "not read yet"}.get(each["health"], each["lastError"])
            found.setdefault(each["scrapePool"], {})[each["scrapeUrl"]] = error
        return found

    def rules(self, name: str, namespace: str) -> list[Json]:
        """Give the rules of a PrometheusRule, as the server tells them."""
        groups = self.ask("rules", type="alert")["groups"]
        return [rule for group in groups if f"{namespace}-{name}-" in group["file"] for rule in group["rules"]]


def scrape_pools(installation: Installation) -> Iterator[str]:
    """Name what Prometheus calls each endpoint of the release's monitors."""
    release, namespace = installation.parameters.release, installation.parameters.namespace
    for kind, endpoints in _MONITORS.items():
        for monitor in installation.kubectl.items(f"{kind.lower()}s.monitoring.coreos.com", release=release):
            for number in range(len(monitor["spec"][endpoints])):
                yield f"{kind}/{namespace}/{monitor['metadata']['name']}/{number}"
