"""A channel's pods as workers. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from console.control.fleet_control import WorkerState, WorkerView
from console.control.kube_names import METRICS_PORTS

#: Waiting reasons of a container that are the ordinary way to its start.
_ON_THE_WAY = frozenset({"ContainerCreating", "PodInitializing"})

#: Where a worker's probe listens unless the pod names a port.
_USUAL_PORT = 8081

Json = Mapping[str, Any]


def read_worker(pod: Json, memory_bytes: int | None = None) -> WorkerView:
    """Read a pod: what its first container does, since when, and why it does not. It does not know its memory."""
    status = pod.get("status", {})
    container: Json = next(iter(status.get("containerStatuses", ())), {})
    state, reason = _state(pod, container)
    running = container.get("state", {}).get("running")
    return WorkerView(
        name=pod["metadata"]["name"],
        state=state,
        started_at=read_time(running["startedAt"]) if running else None,
        ready_at=_ready_at(status) if running else None,
        restarts=sum(each.get("restartCount", 0) for each in status.get("containerStatuses", ())),
        memory_bytes=memory_bytes,
        metrics_url=_metrics_url(pod),
        reason=reason,
    )


def read_time(text: str | None) -> datetime | None:
    """Read a time of the API: 2026-11-30T12:00:00Z."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


def describe_waiting(pod: Json) -> str:
    """Say what a pod that does not run waits for; empty when it is on its way."""
    status = pod.get("status", {})
    for container in (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())):
        waiting = container.get("state", {}).get("waiting")
        if waiting and waiting.get("reason") not in _ON_THE_WAY:
            return _joined(waiting.get("reason", ""), waiting.get("message", ""))
    for condition in status.get("conditions", ()):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return _joined(condition.get("reason", ""), condition.get("message", ""))
    return ""


def _state(pod: Json, container: Json) -> tuple[WorkerState, str]:
    status = pod.get("status", {})
    past = _ending(container.get("lastState", {}).get("terminated"))
    if pod["metadata"].get("deletionTimestamp"):
        return "stopping", past
    if status.get("phase") in ("Failed", "Succeeded"):
        ended = _ending(container.get("state", {}).get("terminated"))
        return "failed", _joined(status.get("reason", ""), status.get("message", "")) or ended
    if container.get("state", {}).get("running"):
        return ("ready" if _ready(status) else "starting"), past
    waits_for = describe_waiting(pod) or _ending(container.get("state", {}).get("terminated"))
    if waits_for:
        return "waiting", f"{waits_for} (before: {past})" if past else waits_for
    return "starting", past


def _ending(terminated: Json | None) -> str:
    """Say how a container ended: `OOMKilled (exit code 137)`."""
    if not terminated:
        return ""
    how = f"exit code {terminated.get('exitCode')}"
    reason = terminated.get("reason", "")
    told = f"{reason} ({how})" if reason and reason not in ("Error", "Completed") else how
    return _joined(told, terminated.get("message", ""))


def _joined(reason: str, message: str) -> str:
    return ": ".join(filter(None, (reason, message.strip())))


def _ready(status: Json) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions", ()))


def _ready_at(status: Json) -> datetime | None:
    for condition in status.get("conditions", ()):
        if condition["type"] == "Ready" and condition["status"] == "True":
            return read_time(condition.get("lastTransitionTime"))
    return None


def _metrics_url(pod: Json) -> str | None:
    address = pod.get("status", {}).get("podIP")
    if not address:
        return None
    host = f"[{address}]" if ":" in address else address
    containers = pod.get("spec", {}).get("containers", ())
    ports = {port.get("name"): port["containerPort"] for each in containers for port in each.get("ports", ())}
    port = next((ports[name] for name in METRICS_PORTS if name in ports), _USUAL_PORT)
    return f"http://{host}:{port}/metrics"
