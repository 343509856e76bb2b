"""The fleet on Kubernetes: Deployments, KEDA's ScaledObjects and Jobs of one release."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from kubernetes import client, config

from console.control.deletion_cost import cost_changes
from console.control.fleet_control import (
    MOST_WORKERS,
    ControlError,
    ControlRefused,
    ControlUnavailable,
    FleetView,
    ReplayRequest,
    ReplayRun,
    UnknownChannel,
    WorkerReading,
)
from console.control.kube_api import Json, KubeApi
from console.control.kube_channel import Change, KubeChannel, read_channels
from console.control.kube_errors import Absent, Conflict
from console.control.kube_names import CHANNEL, DELETION_COST, WORKER, selector
from console.control.kube_replays import KubeReplays
from console.control.settings import ControlSettings
from mq_common.errors import ConfigurationError

#: Where a pod finds its own namespace.
_NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")

#: Looks at an object that others keep changing before it is given up. KEDA writes a status every few seconds.
_TRIES = 10

#: Seconds for which it is believed that KEDA is there. That it is not there is asked anew each time: a Deployment that
#: KEDA scales must not be changed.
_KEDA_BELIEVED_S = 60.0


class KubernetesControl:
    """Acts on the objects of `release`; satisfies FleetControl."""

    kind: Literal["kubernetes"] = "kubernetes"

    def __init__(self, api: KubeApi, release: str, *, deletion_costs: bool = True) -> None:
        """`deletion_costs`: whether busy workers' pods are marked, so that a scale-down takes idle ones first."""
        self._api, self._release, self._deletion_costs = api, release, deletion_costs
        self._selector = selector(release, WORKER)
        self._replays = KubeReplays(api, release)
        self._keda_seen: float | None = None
        #: What the workers told of themselves, and their pods as they were read last: replaced as a whole.
        self._readings: Mapping[str, WorkerReading] = {}
        self._pods: Mapping[str, Json] = {}

    def fleet(self) -> FleetView:
        """See FleetControl."""
        channels = self._channels(self._selector)
        pods: dict[str, list[Json]] = {name: [] for name in channels}
        listed = self._api.find("", "pods", self._selector)
        self._pods = {pod["metadata"]["name"]: pod for pod in listed}
        for pod in listed:
            pods.get(pod["metadata"].get("labels", {}).get(CHANNEL, ""), []).append(pod)
        return FleetView({name: channel.view(pods[name], self._readings) for name, channel in channels.items()})

    def learn(self, readings: Mapping[str, WorkerReading]) -> None:
        """See FleetControl."""
        self._readings = readings
        if not self._deletion_costs:
            return
        for name, cost in cost_changes(self._pods, readings).items():
            note = {DELETION_COST: str(cost) if cost else None}
            with suppress(Absent):  # it is gone meanwhile
                self._api.patch("", "pods", name, {"metadata": {"annotations": note}})

    def pause(self, channel: str | None) -> None:
        """See FleetControl."""
        self._change_each(channel, KubeChannel.pause)

    def resume(self, channel: str | None) -> None:
        """See FleetControl."""
        self._change_each(channel, lambda read: read.resume(by_name=channel is not None))

    def scale(self, channel: str, count: int) -> None:
        """See FleetControl."""
        if not 0 <= count <= MOST_WORKERS:
            raise ControlRefused(f"Between 0 and {MOST_WORKERS} workers.")
        self._change_each(channel, lambda read: read.scale(count))

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        """See FleetControl."""
        self._find(request.channel)
        return self._replays.start(request)

    def replays(self) -> tuple[ReplayRun, ...]:
        """See FleetControl."""
        return self._replays.runs()

    def replay(self, run_id: str) -> ReplayRun:
        """See FleetControl."""
        return self._replays.find(run_id)

    def stop_replay(self, run_id: str) -> None:
        """See FleetControl."""
        self._replays.stop(run_id)

    def _change_each(self, channel: str | None, change: Callable[[KubeChannel], Change | None]) -> None:
        """Change one channel, or each, also when it fails for another. Raises the first error at the end."""
        names = [channel] if channel else list(self._channels(self._selector))
        errors: list[ControlError] = []
        for name in names:
            try:
                self._change(name, change)
            except ControlError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _change(self, name: str, change: Callable[[KubeChannel], Change | None]) -> None:
        for attempt in range(1, _TRIES + 1):
            wanted = change(self._find(name))
            if wanted is None:
                return
            try:
                self._api.patch(wanted.group, wanted.resource, wanted.name, wanted.patch)
            except Conflict:
                if attempt == _TRIES:
                    raise
            else:
                return

    def _find(self, name: str) -> KubeChannel:
        channels = self._channels(self._selector)
        if name not in channels:
            raise UnknownChannel(f"No channel {name!r}; there are: {', '.join(channels)}.")
        return channels[name]

    def _channels(self, labels: str) -> dict[str, KubeChannel]:
        deployments = self._api.find("apps", "deployments", labels)
        scaled_objects = self._api.find("keda.sh", "scaledobjects", labels) if self._has_keda() else []
        channels = read_channels(deployments, scaled_objects)
        if not channels:
            raise ControlUnavailable(
                f"No channel's Deployment in namespace {self._api.namespace} has the labels {labels} and {CHANNEL}:"
                " does MEDIAFLOW_CONSOLE_KUBE_RELEASE name the release?"
            )
        return channels

    def _has_keda(self) -> bool:
        now = time.monotonic()
        seen = self._keda_seen
        if seen is not None and now - seen < _KEDA_BELIEVED_S:
            return True
        there = self._api.has_group("keda.sh")
        self._keda_seen = now if there else None
        return there


def open_kubernetes_control(settings: ControlSettings) -> KubernetesControl:
    """Read the pod's account or the kubeconfig. Raises ConfigurationError; nothing is asked of the cluster yet."""
    configuration: Any = client.Configuration()
    read = _read_account if settings.kube_config is None else _read_kubeconfig
    own = read(settings, configuration)
    namespace = settings.kube_namespace or own
    api = KubeApi(configuration, namespace)
    return KubernetesControl(api, settings.kube_release, deletion_costs=settings.deletion_cost == "on")


def _read_account(_: ControlSettings, configuration: Any) -> str:
    try:
        config.load_incluster_config(configuration)  # type: ignore[no-untyped-call]
        return _NAMESPACE_FILE.read_text().strip()
    except (config.ConfigException, OSError) as error:
        raise ConfigurationError(
            f"MEDIAFLOW_CONSOLE_CONTROL: kubernetes, but there is no service account to act with ({error}): mount its"
            " token, or set MEDIAFLOW_CONSOLE_KUBE_CONFIG"
        ) from None


def _read_kubeconfig(settings: ControlSettings, configuration: Any) -> str:
    file, context = str(settings.kube_config), settings.kube_context
    try:
        config.load_kube_config(file, context, configuration, persist_config=False)  # type: ignore[no-untyped-call]
        return _namespace_of(file, context)
    except (config.ConfigException, OSError) as error:
        raise ConfigurationError(f"MEDIAFLOW_CONSOLE_KUBE_CONFIG: {file}: {error}") from None


def _namespace_of(file: str, context: str | None) -> str:
    contexts, current = config.list_kube_config_contexts(file)  # type: ignore[no-untyped-call]
    chosen = next((each for each in contexts if each["name"] == context), current) if context else current
    return str(chosen["context"].get("namespace", "default"))
