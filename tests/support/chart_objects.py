"""Reading rendered objects: the pods they make, what is in them, and who looks at them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

COMPONENT = "app.kubernetes.io/component"
CHANNEL = "mediaflow.io/channel"

#: Kinds that make pods, and where their template is.
_TEMPLATES = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}


@dataclass(frozen=True)
class PodTemplate:
    """The pods that `owner` makes."""

    owner: Json
    metadata: Json
    spec: Json

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.owner['kind']} {self.owner['metadata']['name']}"

    @property
    def labels(self) -> dict[str, str]:
        """Labels of its pods."""
        return dict(self.metadata.get("labels", {}))

    @property
    def component(self) -> str:
        """What its pods are for."""
        return self.labels.get(COMPONENT, "")

    @property
    def channel(self) -> str:
        """The channel its pods work on, or nothing."""
        return self.labels.get(CHANNEL, "")

    @property
    def containers(self) -> list[Json]:
        """All of them, also those that run before the others."""
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]

    def ports(self) -> dict[str, int]:
        """Give the ports that have names."""
        found = [port for each in self.containers for port in each.get("ports", [])]
        return {port["name"]: port["containerPort"] for port in found}

    def runs_for_ever(self) -> bool:
        """Tell whether its pods are to stay."""
        return self.owner["kind"] in ("Deployment", "StatefulSet")


def pod_templates(objects: Sequence[Json]) -> Iterator[PodTemplate]:
    """Give all pods that the objects make; of RabbitMQ's operator, what the chart relies on."""
    for each in objects:
        if each["kind"] in _TEMPLATES:
            template: Json = each
            for key in _TEMPLATES[each["kind"]]:
                template = template[key]
            yield PodTemplate(each, template.get("metadata", {}), template["spec"])


def operators_pods(objects: Sequence[Json]) -> Iterator[PodTemplate]:
    """Give the pods that RabbitMQ's operator makes of the objects: only labels and ports, which it documents."""
    for each in objects:
        if each["kind"] == "RabbitmqCluster":
            labels = {"app.kubernetes.io/name": each["metadata"]["name"], COMPONENT: "rabbitmq"}
            ports = {"amqp": 5672, "management": 15672, "prometheus": 15692, "epmd": 4369, "distribution": 25672}
            listed = [{"name": name, "containerPort": port} for name, port in ports.items()]
            labels["app.kubernetes.io/part-of"] = "rabbitmq"
            yield PodTemplate(each, {"labels": labels}, {"containers": [{"name": "rabbitmq", "ports": listed}]})


def operators_service(objects: Sequence[Json]) -> Iterator[Json]:
    """Give the service that RabbitMQ's operator makes: of the cluster's own name."""
    for pods in operators_pods(objects):
        ports = [{"name": name, "port": port, "targetPort": port} for name, port in pods.ports().items()]
        metadata = {"name": pods.owner["metadata"]["name"], "labels": pods.labels}
        yield {"kind": "Service", "metadata": metadata, "spec": {"ports": ports, "selector": pods.labels}}


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector, or a Service's plain one, chooses something with such labels."""
    selector = selector or {}
    if not {"matchLabels", "matchExpressions"} & set(selector):
        selector = {"matchLabels": selector}
    plain = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return plain and all(_expressed(each, labels) for each in selector.get("matchExpressions") or [])


def _expressed(expression: Json, labels: Mapping[str, str]) -> bool:
    value, values = labels.get(expression["key"]), expression.get("values", [])
    return {
        "In": value in values,
        "NotIn": value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }[expression["operator"]]


def walk(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give everything in an object with the way to it."""
    yield path, value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in below:
        yield from walk(each, (*path, str(key)))
