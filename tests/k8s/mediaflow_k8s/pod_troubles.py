"""Why pods don't start, from their status. Pure."""

from collections.abc import Iterable
from typing import Any

#: A container that waits for one of these waits for ever.
_IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError")


def image_troubles(pods: Iterable[dict[str, Any]]) -> list[str]:
    """Give a sentence for each image that a node can't get, each image once."""
    found = {}
    for pod in pods:
        for container in _containers(pod):
            waiting = container.get("state", {}).get("waiting", {})
            if waiting.get("reason") in _IMAGE:
                where = pod["spec"].get("nodeName", "a node")
                image = container["image"]
                found[image] = (
                    f"{where} can't get the image {image} ({waiting['reason']}): load it, or say REGISTRY= and TAG="
                )
    return list(found.values())


def start_troubles(pods: Iterable[dict[str, Any]]) -> list[str]:
    """Give a sentence for each pod that is neither done nor ready, with what its status says of it."""
    found = []
    for pod in pods:
        conditions = {each["type"]: each for each in pod.get("status", {}).get("conditions", ())}
        if pod["status"].get("phase") == "Succeeded" or conditions.get("Ready", {}).get("status") == "True":
            continue
        found.append(f"{pod['metadata']['name']}: {_why(pod, conditions)}")
    return found


def _why(pod: dict[str, Any], conditions: dict[str, dict[str, Any]]) -> str:
    for container in _containers(pod):
        state = container.get("state", {})
        if waiting := state.get("waiting"):
            last = container.get("lastState", {}).get("terminated", {})
            before = f", last exit code {last['exitCode']}" if last else ""
            return f"{waiting.get('reason')} {waiting.get('message', '')}{before}".strip()
        if ended := state.get("terminated"):
            return f"ended with exit code {ended.get('exitCode')} ({ended.get('reason', '')})"
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        return f"not scheduled: {scheduled.get('message', scheduled.get('reason', ''))}"
    restarts = sum(container.get("restartCount", 0) for container in _containers(pod))
    return f"{pod['status'].get('phase')}, not ready" + (f", {restarts} restarts" if restarts else "")


def _containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    status = pod.get("status", {})
    return [*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())]
