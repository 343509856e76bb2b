"""The chart, installed: its parts by their labels, and what is asked of them."""

import base64
import json
import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mediaflow_k8s.client_pod import OBSERVER, ClientPod, channel_of, code_volume
from mediaflow_k8s.console_api import ConsoleApi
from mediaflow_k8s.front_door import FrontDoor
from mediaflow_k8s.helm_release import HelmRelease
from mediaflow_k8s.kubectl import CommandFailed, Json, Kubectl, until
from mediaflow_k8s.own_values import CHANNELS, Values, own_values
from mediaflow_k8s.parameters import Missing, Parameters
from mediaflow_k8s.pod_troubles import image_troubles, start_troubles
from mediaflow_k8s.tools import Tools

#: Seconds for a release to be ready: images are pulled, three brokers form a cluster.
READY_S = 600.0
#: The management API's numbers may lag by so much: empty queues have to be seen empty for as long.
_LAG_S = 8.0
_RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}


@dataclass
class Installation:
    """One release on one cluster, in the run's own namespace or in one that is there."""

    parameters: Parameters
    kubectl: Kubectl
    helm: HelmRelease
    #: What was there before the release.
    before: frozenset[str] = frozenset()
    _folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="mediaflow-k8s-")))

    @classmethod
    def of(cls, parameters: Parameters, tools: Tools) -> "Installation":
        """Say where it is or will be; nothing is asked of the cluster."""
        kubectl = Kubectl(tools.kubectl, parameters.kubeconfig, parameters.namespace, parameters.limit(60))
        helm = HelmRelease(tools.helm, parameters.kubeconfig, parameters.namespace, parameters.release)
        return cls(parameters, kubectl, helm)

    # The cluster.

    def check_cluster(self) -> str:
        """Give the cluster's version. Raises Missing when it does not answer."""
        try:
            version = json.loads(self.kubectl.run("version", "-o", "json"))["serverVersion"]
        except CommandFailed as error:
            raise Missing(f"The cluster that {self.parameters.kubeconfig} names does not answer: {error}") from None
        return str(version["gitVersion"])

    @cached_property
    def has_keda(self) -> bool:
        """Whether KEDA's kinds are there."""
        return self.kubectl.exists("customresourcedefinition", "scaledobjects.keda.sh")

    def make_namespace(self) -> None:
        """Make the namespace, which lets nothing in that is less than Pod Security *restricted*."""
        name = self.parameters.namespace
        if self.kubectl.exists("namespace", name):
            if self.parameters.reuse:
                self.before = frozenset({f"configmap/{OBSERVER}"})
                return
            raise Missing(f"The namespace {name} is there already: remove it, or say NAMESPACE=another or REUSE=1.")
        self.kubectl.apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": _RESTRICTED}},
            code_volume(OBSERVER, sitecustomize=True)[0],
        )
        self.before = self.objects()

    def remove_namespace(self) -> None:
        """Remove it with all that is in it."""
        limit_s = self.parameters.limit(240)
        words = ("delete", "namespace", self.parameters.namespace, "--ignore-not-found", f"--timeout={limit_s:.0f}s")
        self.kubectl.run(*words, limit_s=limit_s + 30)

    def objects(self) -> frozenset[str]:
        """Name every object in the namespace."""
        kinds = self.kubectl.run("api-resources", "--verbs=list", "--namespaced", "-o", "name").split()
        listed = [kind for kind in kinds if not kind.startswith(("events", "pods.metrics", "podmetrics"))]
        return frozenset(self.kubectl.run("get", ",".join(listed), "-o", "name", "--ignore-not-found").split())

    # The release.

    def values_files(self, more: Values | None = None) -> list[Path]:
        """Write the values of the run, the cluster's own and `more`; later ones win."""
        volume = code_volume(OBSERVER, sitecustomize=True)[1]
        own = self._write("own", own_values(self.parameters, volume))
        theirs = [self.parameters.values] if self.parameters.values else []
        return [own, *theirs, *([self._write("more", more)] if more else [])]

    def _write(self, name: str, values: Values) -> Path:
        file = self._folder / f"{name}-{secrets.token_hex(3)}.json"
        file.write_text(json.dumps(values))
        return file

    def install(self) -> None:
        """Install the chart and wait until all of it is ready. Raises CommandFailed with what keeps it from it."""
        if self.parameters.reuse and self.kubectl.items("deployments", release=self.parameters.release):
            return
        limit_s = self.parameters.limit(READY_S)
        try:
            self.helm.install(*self.values_files(), limit_s=limit_s, hopeless=self._hopeless)
        except CommandFailed as error:
            raise CommandFailed(f"{error}\n{self.troubles()}") from None

    def upgrade(self, more: Values | None = None, **sets: Any) -> None:
        """Upgrade to `more` values and wait until all is ready again."""
        single = [f"--set-json={name}={json.dumps(value)}" for name, value in sets.items()]
        self._upgrade(self.values_files(more), single, self._hopeless)

    def mend(self) -> None:
        """Put back what kubectl changed, as whoever installed it would."""
        self._upgrade(self.values_files(), self.helm.over_edits(), lambda: "")

    def _upgrade(self, values: list[Path], options: Sequence[str], hopeless: Callable[[], str]) -> None:
        limit_s = self.parameters.limit(READY_S)
        try:
            self.helm.upgrade(*values, limit_s=limit_s, hopeless=hopeless, options=options)
        except CommandFailed as error:
            raise CommandFailed(f"{error}\n{self.troubles()}") from None

    def _hopeless(self) -> str:
        return "; ".join(image_troubles(self.kubectl.items("pods")))

    def troubles(self) -> str:
        """Say what keeps pods from being ready, with the last lines of their logs."""
        pods = self.kubectl.items("pods")
        said = start_troubles(pods)
        for name in [sentence.partition(":")[0] for sentence in said][:4]:
            try:
                log = self.kubectl.run("logs", name, "--tail=12", "--all-containers")
            except CommandFailed as error:
                log = str(error)[-300:]
            said.append(f"--- {name}\n{log.strip()}")
        return "\n".join(said)

    # Its parts.

    @cached_property
    def client(self) -> ClientPod:
        """The client in the cluster."""
        client = ClientPod(self.kubectl)
        (ingest,) = self.kubectl.items("deployments", component="ingest", release=self.parameters.release)
        guarded = bool(self.kubectl.items("networkpolicies", release=self.parameters.release))
        client.start(ingest, guarded=guarded, limit_s=self.parameters.limit(120))
        return client

    @cached_property
    def door(self) -> FrontDoor:
        """The front door, as the client in the cluster sees it."""
        return FrontDoor(self.client, self._service_url("ingest"), self.parameters.patience)

    @cached_property
    def console(self) -> ConsoleApi:
        """The console, with its password out of its Secret."""
        (deployment,) = self.kubectl.items("deployments", component="console", release=self.parameters.release)
        environment = {each["name"]: each for each in deployment["spec"]["template"]["spec"]["containers"][0]["env"]}
        reference = environment["MEDIAFLOW_CONSOLE_PASSWORD"]["valueFrom"]["secretKeyRef"]
        secret = self.kubectl.get("secret", reference["name"])["data"][reference["key"]]
        return ConsoleApi(self.client, self._service_url("console"), base64.b64decode(secret).decode())

    def _service_url(self, component: str) -> str:
        (service,) = self.kubectl.items("services", component=component, release=self.parameters.release)
        return f"http://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"

    def workers(self, channel: str) -> Json:
        """Give a channel's Deployment."""
        (found,) = self.kubectl.items(
            "deployments", component="worker", channel=channel, release=self.parameters.release
        )
        return found

    def channels(self) -> list[str]:
        """Name the channels, as the release's Deployments say."""
        found = self.kubectl.items("deployments", component="worker", release=self.parameters.release)
        return sorted(map(channel_of, found))

    def pods(self, component: str, channel: str | None = None) -> list[Json]:
        """List running pods of a component that nobody has told to go."""
        labels = {"component": component} | ({"channel": channel} if channel else {})
        found = self.kubectl.items("pods", **labels)
        return [
            pod
            for pod in found
            if "deletionTimestamp" not in pod["metadata"] and pod["status"].get("phase") == "Running"
        ]

    def scaled_object(self, channel: str) -> Json:
        """Give a channel's ScaledObject."""
        (found,) = self.kubectl.items("scaledobjects.keda.sh", channel=channel, release=self.parameters.release)
        return found

    def fewest_workers(self, channel: str) -> int:
        """Tell how many workers a channel has with nothing to do: KEDA's least, or else what it has now."""
        if self.has_keda:
            return int(self.scaled_object(channel)["spec"]["minReplicaCount"])
        return int(self.workers(channel)["spec"]["replicas"])

    # Its work.

    def await_workers(self, channel: str, count: int, limit_s: float = 120) -> None:
        """Wait until a channel has exactly so many workers, all ready."""

        def there() -> bool:
            deployment = self.workers(channel)
            status = deployment["status"]
            ready, running = status.get("readyReplicas", 0), status.get("replicas", 0)
            return (deployment["spec"]["replicas"], running, ready) == (count, count, count)

        until(there, f"{count} workers of {channel}", self.parameters.limit(limit_s))

    def depths(self) -> dict[str, int]:
        """Tell how many messages each channel's queue counts, and what waits in the outbox."""
        told = self.client.ask("traffic")
        found = {channel: told["queues"].get(f"media.{channel}", {}).get("total", 0) for channel in CHANNELS}
        return found | {"outbox": told["outbox"]}

    def redeliveries(self) -> dict[str, int]:
        """Tell how many deliveries of each channel's queue were not the first one, by the broker's count."""
        queues = self.client.ask("traffic")["queues"]
        return {channel: (queues[f"media.{channel}"]["counters"] or {}).get("redelivered", 0) for channel in CHANNELS}

    def await_drained(self, limit_s: float) -> bool:
        """Wait until queues and outbox have been empty for a while; False when they were not in time."""
        empty_since: float | None = None

        def drained() -> bool:
            nonlocal empty_since
            try:
                left = sum(self.depths().values())
            except CommandFailed:  # the broker is just being looked for
                left = 1
            empty_since = None if left else empty_since or time.monotonic()
            return empty_since is not None and time.monotonic() - empty_since > _LAG_S

        try:
            until(drained, "empty queues", self.parameters.limit(limit_s), 2.0)
        except TimeoutError:
            return False
        return True
