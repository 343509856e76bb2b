"""What is done to pods while clients upload: deleted, or crashed. Each is a deed, which says what it did."""

import contextlib
import time
from collections.abc import Callable

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import CommandFailed, Json, until

#: Seconds for a worker's pod, or its container, to be there again and ready.
_POD_BACK_S = 180.0
#: Seconds for a cluster to tell that a container has crashed.
_TOLD_S = 60.0
#: The exit code of a process that SIGKILL ended.
_KILLED = 137
#: What ends a container's work at once, said to a shell in it. Deleting a pod is none, however short its grace period:
#: the kubelet sends SIGTERM and gives two seconds at least, in which a worker gives back what it has. A worker is
#: the child of an init, and all but the init can be killed from inside. RabbitMQ is the first process itself, which the
#: kernel protects from its own container, but not from the end of its processor time.
_CRASH = {"worker": "kill -KILL -1", "rabbitmq": "prlimit --pid 1 --cpu=1:1"}

Deed = Callable[[], str]


def pod_deleted(installation: Installation, component: str, channel: str | None = None) -> Deed:
    """Give the deed of deleting a pod that works: it is asked to stop, and has its grace period for that."""

    def deed() -> str:
        name = _name(installation.pods(component, channel)[0])
        installation.kubectl.run("delete", "pod", name, "--wait=false")
        return f"deleted {name}"

    return deed


def crashed(installation: Installation, component: str, channel: str | None = None) -> Deed:
    """Give the deed of ending a container with SIGKILL: it can't say goodbye to anybody.

    The deed ends when the cluster tells that the process was killed. Raises TimeoutError when it does not.
    """

    def deed() -> str:
        pod = installation.pods(component, channel)[0]
        name, before = _name(pod), _container(pod, component)["restartCount"]
        # What asks for it may go with the container: whether it happened is asked of the cluster.
        with contextlib.suppress(CommandFailed):
            installation.kubectl.run("exec", name, f"--container={component}", "--", "sh", "-c", _CRASH[component])

        def told() -> Json | None:
            now = _container(installation.kubectl.get("pod", name), component)
            state = now["lastState"] if now["restartCount"] > before else now["state"]
            ended: Json | None = state.get("terminated")
            return ended

        ended = until(told, f"the crash of {name}", installation.parameters.limit(_TOLD_S))
        if ended["exitCode"] != _KILLED:
            raise CommandFailed(f"{name} was to be killed and ended with exit code {ended['exitCode']}")
        return f"killed {name}: exit code {_KILLED}"

    return deed


def await_ready(
    installation: Installation, component: str, count: int, limit_s: float, channel: str | None = None
) -> Deed:
    """Give the deed of waiting until a component (or one channel's part of it) has so many ready pods again."""

    def ready() -> bool:
        pods = installation.pods(component, channel)
        conditions = [{each["type"]: each["status"] for each in pod["status"]["conditions"]} for pod in pods]
        return sum(each.get("Ready") == "True" for each in conditions) >= count

    def deed() -> str:
        began = time.monotonic()
        until(ready, f"{count} ready pods of {channel or component}", installation.parameters.limit(limit_s))
        seconds = time.monotonic() - began
        return f"{channel or component} {'is whole' if seconds < 1 else f'whole again {seconds:.0f} s later'}"

    return deed


def and_whole_again(installation: Installation, fault: Callable[..., Deed], channel: str) -> tuple[Deed, Deed]:
    """Give the deeds of a fault in one of a channel's workers and of waiting until as many as before are ready."""
    count = int(installation.workers(channel)["spec"]["replicas"])
    return (
        fault(installation, "worker", channel),
        await_ready(installation, "worker", count, _POD_BACK_S, channel),
    )


def _name(pod: Json) -> str:
    return str(pod["metadata"]["name"])


def _container(pod: Json, name: str) -> Json:
    found: Json = next(each for each in pod["status"]["containerStatuses"] if each["name"] == name)
    return found
