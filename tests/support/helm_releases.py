"""Releases of the chart on an API server that KubeCluster stands for: no hook runs, since no pod does."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3

from kube_cluster import ADMIN, KubeCluster, until
from kube_schemas import CRDS
from kube_tools import kube_tool
from rendered_chart import CHART

Json = dict[str, Any]


@dataclass
class Releases:
    """What helm does in the cluster's present namespace."""

    cluster: KubeCluster
    folder: Path

    def install(self, values: Json, name: str = "films") -> None:
        """Install the chart."""
        self._helm("install", name, str(CHART), values=values)

    def upgrade(self, values: Json, name: str = "films") -> None:
        """Go on with other values."""
        self._helm("upgrade", name, str(CHART), values=values)

    def rollback(self, revision: int, name: str = "films") -> None:
        """Go back to what was."""
        self._helm("rollback", name, str(revision))

    def uninstall(self, name: str = "films") -> str:
        """Remove the release; gives what helm says."""
        return self._helm("uninstall", name)

    def _helm(self, *words: str, values: Json | None = None) -> str:
        kubeconfig = self.cluster.kubeconfig(self.folder / "helm-kubeconfig", ADMIN)
        command = [str(kube_tool("helm")), *words, "--namespace", self.cluster.namespace, "--no-hooks"]
        if values is not None:
            command += ["--values", "-"]
        home = {"KUBECONFIG": str(kubeconfig), "HELM_CACHE_HOME": str(self.folder), "HOME": str(self.folder)}
        done = subprocess.run(
            command,
            input=json.dumps(values),
            env=os.environ | home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr[-2000:]}"
        return done.stdout


def install_operators(cluster: KubeCluster) -> None:
    """Let the server know the kinds that KEDA and the operators bring, as their newest definitions say."""
    newest = {file.name: file for file in sorted(CRDS.glob("*/*.json"))}
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for file in newest.values():
        definition = json.loads(file.read_text())
        spec = definition["spec"]
        cluster.ask("POST", crds, definition)
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        until(lambda path=path: cluster.try_to("GET", path)[0] == 200, spec["names"]["kind"])  # type: ignore[misc]


def resource_paths(cluster: KubeCluster) -> dict[tuple[str, str], str]:
    """Ask the server where objects of each kind are made, by API version and kind."""
    groups = cluster.ask("GET", "/apis")["groups"]
    versions = ["v1", *(version["groupVersion"] for group in groups for version in group["versions"])]
    found = {}
    for version in versions:
        base = "/api/v1" if version == "v1" else f"/apis/{version}"
        for each in cluster.ask("GET", base)["resources"]:
            if each["namespaced"] and "/" not in each["name"]:
                found[version, each["kind"]] = f"{base}/namespaces/{cluster.namespace}/{each['name']}"
    return found


@dataclass
class StrictServer:
    """Asks the server what it thinks of objects, without making any."""

    cluster: KubeCluster

    def __post_init__(self) -> None:
        self._http = urllib3.PoolManager(ca_certs=str(self.cluster.ca) if self.cluster.ca else None)
        self._paths = resource_paths(self.cluster)

    def complaints(self, thing: Json) -> list[str]:
        """Say what the server refuses an object for, and what it warns of."""
        path = self._paths[thing["apiVersion"], thing["kind"]]
        mine = thing | {"metadata": thing["metadata"] | {"namespace": self.cluster.namespace}}
        answer = self._http.request(
            "POST",
            f"{self.cluster.url}{path}?dryRun=All&fieldValidation=Strict",
            body=json.dumps(mine),
            headers={"Authorization": f"Bearer {ADMIN}", "Content-Type": "application/json"},
            timeout=20,
            retries=False,
        )
        warnings = answer.headers.getlist("Warning")
        refused = [] if answer.status < 300 else [str(json.loads(answer.data).get("message"))]
        return [*refused, *warnings]
