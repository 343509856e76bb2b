"""A client in the cluster: a pod of ingest's own image that uploads, and sees broker and store as the fleet does.

Load from outside would come through a port-forward, which ends with the pod behind it; from inside it meets the Service
that every client meets.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediaflow_k8s.kubectl import CHANNEL, COMPONENT, CommandFailed, Json, Kubectl
from mediaflow_k8s.parameters import ROOT

NAME = "mediaflow-client"
_LABEL = "mediaflow.io/test-client"
_CODE = "/opt/client"
_IDLE = "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\nwhile True: signal.pause()"

#: What of the chaos runs is used in pods.
_CHAOS = (
    "__init__",
    "append_log",
    "bursts",
    "checker",
    "evidence",
    "load",
    "observed",
    "queues",
    "slow_store",
    "uploads",
)
_OWN = ("__init__", "in_pod", "observer")

#: The worker's part, mounted into the workers themselves.
OBSERVER = "mediaflow-observer"
OBSERVER_PATH = "/opt/observer"


def code_map(name: str, files: Mapping[str, str]) -> Json:
    """Give a ConfigMap with code; `files` by key."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": dict(files)}


def _files() -> dict[str, Path]:
    """Give the files by their path in the pod."""
    chaos = ROOT / "tests" / "chaos" / "mediaflow_chaos"
    own = Path(__file__).parent
    return {f"mediaflow_chaos/{name}.py": chaos / f"{name}.py" for name in _CHAOS} | {
        f"mediaflow_k8s/{name}.py": own / f"{name}.py" for name in _OWN
    }


def code_volume(name: str, *, sitecustomize: bool = False) -> tuple[Json, Json]:
    """Give the ConfigMap with the code, and the volume that lays it out."""
    files = _files()
    data = {path.replace("/", "."): file.read_text() for path, file in files.items()}
    items = [{"key": path.replace("/", "."), "path": path} for path in files]
    if sitecustomize:
        items.append({"key": "mediaflow_k8s.observer.py", "path": "sitecustomize.py"})
    return code_map(name, data), {"name": "observer", "configMap": {"name": name, "items": items}}


@dataclass(frozen=True, slots=True)
class ClientPod:
    """The pod, once it runs."""

    kubectl: Kubectl

    def start(self, ingest: Json, *, guarded: bool, limit_s: float) -> None:
        """Make it, with the environment and volumes of ingest's Deployment. `guarded`: NetworkPolicies are in force."""
        config_map, volume = code_volume(NAME)
        self.kubectl.run("delete", "pod", NAME, "--ignore-not-found")  # an earlier run's
        self.kubectl.apply(config_map, _pod(ingest, volume), *(_policies() if guarded else ()))
        self.kubectl.run(
            "wait", "--for=condition=Ready", f"pod/{NAME}", f"--timeout={limit_s:.0f}s", limit_s=limit_s + 10
        )

    def ask(self, command: str, *, limit_s: float = 120.0, **given: Any) -> Json:
        """Have a command of `in_pod` done; gives its answer. Raises CommandFailed."""
        words = ("exec", NAME, "--", "python3", "-m", "mediaflow_k8s.in_pod", command, json.dumps(given))
        answer: Json = json.loads(self.kubectl.run(*words, limit_s=limit_s))
        if "error" in answer:
            raise CommandFailed(answer["error"])
        return answer

    def bring(self, file: Path) -> str:
        """Copy a file into the pod; gives its path there."""
        there = f"/tmp/{file.name}"
        self.kubectl.run("exec", "-i", NAME, "--", "sh", "-c", f"cat > {there}", stdin=file.read_bytes(), limit_s=120)
        return there


def _pod(ingest: Json, volume: Json) -> Json:
    spec = ingest["spec"]["template"]["spec"]
    container = spec["containers"][0]
    mounts = [*container.get("volumeMounts", ()), {"name": "observer", "mountPath": _CODE, "readOnly": True}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME, "labels": {_LABEL: "true"}},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 2,
            "securityContext": spec.get("securityContext", {}),
            "imagePullSecrets": spec.get("imagePullSecrets", []),
            "volumes": [*spec.get("volumes", ()), volume],
            "containers": [
                {
                    "name": "client",
                    "image": container["image"],
                    "imagePullPolicy": container.get("imagePullPolicy", "IfNotPresent"),
                    "command": ["python3", "-c", _IDLE],
                    "env": [*container.get("env", ()), {"name": "PYTHONPATH", "value": _CODE}],
                    "securityContext": container.get("securityContext", {}),
                    "resources": {"requests": {"cpu": "20m", "memory": "96Mi"}, "limits": {"memory": "512Mi"}},
                    "volumeMounts": mounts,
                }
            ],
        },
    }


def _policies() -> tuple[Json, Json]:
    """Let the client reach all of the release. Policies add up: what the chart forbids to others stays forbidden."""
    to = {
        "matchExpressions": [{"key": COMPONENT, "operator": "In", "values": ["ingest", "console", "rabbitmq", "store"]}]
    }
    client = {"matchLabels": {_LABEL: "true"}}
    return (
        _policy(
            f"{NAME}-in",
            {"podSelector": to, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": client}]}]},
        ),
        _policy(f"{NAME}-out", {"podSelector": client, "policyTypes": ["Egress"], "egress": [{}]}),
    )


def _policy(name: str, spec: Json) -> Json:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name},
        "spec": spec,
    }


def channel_of(deployment: Json) -> str:
    """Give the channel of a worker's Deployment."""
    return str(deployment["metadata"]["labels"][CHANNEL])
