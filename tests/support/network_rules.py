"""Whether NetworkPolicies let a connection through, as the Kubernetes API documents them. Pure: no cluster is asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

from chart_objects import PodTemplate, matches

Json = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """One end of a connection: a pod, or an address outside that is no pod."""

    name: str
    namespace: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    #: Labels of the pod's namespace.
    namespace_labels: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    address: str = ""


def namespaced(name: str, namespace: str, labels: dict[str, str] | None = None) -> Place:
    """Make a pod in a namespace that has the label Kubernetes gives it."""
    return Place(name, namespace, labels or {}, {"kubernetes.io/metadata.name": namespace})


def pod_of(template: PodTemplate, namespace: str) -> Place:
    """Make the pod of a template."""
    own = {"kubernetes.io/metadata.name": namespace}
    return Place(template.component, namespace, template.labels, own, template.ports())


def lets_through(policies: Sequence[Json], source: Place, target: Place, port: int, protocol: str = "TCP") -> bool:
    """Tell whether a connection may leave its source and enter its target; all `policies` are of one namespace each."""
    out = _one_way(policies, "Egress", source, target, target, port, protocol)
    return out and _one_way(policies, "Ingress", target, source, target, port, protocol)


def _one_way(
    policies: Sequence[Json], way: str, own: Place, other: Place, target: Place, port: int, protocol: str
) -> bool:
    asked = [each for each in policies if _selects(each, own) and way in each["spec"]["policyTypes"]]
    if not asked:
        return True
    peers = "to" if way == "Egress" else "from"
    return any(
        _port_is_one_of(rule.get("ports"), target, port, protocol)
        and _is_one_of(rule.get(peers), other, policy["metadata"].get("namespace", own.namespace))
        for policy in asked
        for rule in policy["spec"].get(way.lower()) or []
    )


def _selects(policy: Json, pod: Place) -> bool:
    if not pod.namespace or policy["metadata"].get("namespace", pod.namespace) != pod.namespace:
        return False
    return matches(policy["spec"]["podSelector"], pod.labels)


def _is_one_of(peers: Iterable[Json] | None, other: Place, namespace: str) -> bool:
    """An absent or empty list of peers is everybody."""
    listed = list(peers or [])
    return not listed or any(_is(peer, other, namespace) for peer in listed)


def _is(peer: Json, other: Place, namespace: str) -> bool:
    if block := peer.get("ipBlock"):
        inside = bool(other.address) and ip_address(other.address) in ip_network(block["cidr"])
        return inside and not any(ip_address(other.address) in ip_network(each) for each in block.get("except", []))
    if not other.namespace:
        return False
    if "namespaceSelector" in peer:
        if not matches(peer["namespaceSelector"], other.namespace_labels):
            return False
    elif other.namespace != namespace:
        return False
    return matches(peer.get("podSelector"), other.labels)


def _port_is_one_of(ports: Iterable[Json] | None, target: Place, port: int, protocol: str) -> bool:
    """An absent or empty list of ports is every port; a name is the target pod's."""
    listed = list(ports or [])
    if not listed:
        return True
    for each in listed:
        first = each.get("port")
        number = target.ports.get(first) if isinstance(first, str) else first
        last = each.get("endPort", number)
        if each.get("protocol", "TCP") == protocol and (first is None or (number and number <= port <= last)):
            return True
    return False
