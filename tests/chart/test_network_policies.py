"""Who reaches whom, computed from the policies and the pods that the chart renders."""

from dataclasses import replace
from typing import Any

import pytest

from chart_objects import operators_pods, pod_templates
from network_rules import Place, lets_through, namespaced, pod_of
from rendered_chart import KEDA, Json, Rendering, at, merged, named

NAMESPACE = "media"
OUTSIDE: dict[str, Place] = {
    "internet": Place("internet", address="203.0.113.9"),
    "api": Place("api", address="10.96.0.1"),
    "bucket": Place("bucket", address="198.51.100.7"),
    "neighbour": namespaced("neighbour", NAMESPACE, {"app": "else"}),
    "other": namespaced("other", "other"),
    "ingress-controller": namespaced("ingress-controller", "ingress-nginx"),
    "prometheus": namespaced("prometheus", "monitoring"),
    "keda": namespaced("keda", "keda"),
    "dns": namespaced("dns", "kube-system", {"k8s-app": "kube-dns"}),
    "node-dns": Place("node-dns", address="169.254.20.10"),
}
#: Of the release, but nothing that the chart knows.
STRANGER = {"app.kubernetes.io/name": "mediaflow", "app.kubernetes.io/instance": "films"}
FLEET = ("ingest", "console", "worker", "replayer", "topology")
SERVERS: dict[str, tuple[int, ...]] = {
    "ingest": (8080,),
    "console": (8090,),
    "worker": (8081,),
    "rabbitmq": (5672, 15672, 15692, 4369, 25672),
    "store": (7070,),
}


class Net:
    """A release in its namespace, with what is around it."""

    def __init__(self, values: Json | None = None) -> None:
        objects = Rendering(values or {}, apis=KEDA).objects()
        self.policies = named(objects, "NetworkPolicy")
        found = [pod_of(each, NAMESPACE) for each in (*pod_templates(objects), *operators_pods(objects))]
        self.places = OUTSIDE | {each.name: each for each in found}
        worker = self.places["worker"]
        for component in ("topology", "test", "load"):  # also where this release makes no such pod
            labels = STRANGER | {"app.kubernetes.io/component": component}
            self.places.setdefault(component, replace(worker, name=component, labels=labels, ports={}))
        self.places["stranger"] = replace(worker, name="stranger", labels=STRANGER, ports={})

    def may(self, source: str, target: str, port: int, protocol: str = "TCP") -> bool:
        return lets_through(self.policies, self.places[source], self.places[target], port, protocol)

    def who_reaches(self, target: str, port: int) -> set[str]:
        return {name for name in self.places if name != target and self.may(name, target, port)}

    def reached_by(self, source: str) -> set[tuple[str, int]]:
        """What of the release a pod reaches."""
        return {
            (target, port)
            for target, ports in SERVERS.items()
            if target in self.places and target != source
            for port in ports
            if self.may(source, target, port)
        }


@pytest.fixture(scope="module")
def net() -> Net:
    return Net()


BROKER = {("rabbitmq", 5672), ("rabbitmq", 15672)}
STORE = {("store", 7070)}


@pytest.mark.parametrize(
    ("source", "reaches"),
    [
        ("worker", BROKER | STORE | {("ingest", 8080)}),
        ("replayer", BROKER | STORE | {("ingest", 8080)}),
        ("ingest", BROKER | STORE),
        ("console", BROKER | STORE | {("ingest", 8080), ("worker", 8081)}),
        ("topology", BROKER | {("ingest", 8080)}),
        ("test", {("ingest", 8080), ("console", 8090)}),
        ("load", {("ingest", 8080)}),
        ("keda", {("rabbitmq", 15672), ("ingest", 8080)}),
        ("prometheus", {("rabbitmq", 15692), ("ingest", 8080), ("console", 8090), ("worker", 8081)}),
        ("ingress-controller", {("ingest", 8080)}),
        ("internet", {("ingest", 8080)}),
        ("neighbour", {("ingest", 8080)}),
        ("other", {("ingest", 8080)}),
        ("stranger", set()),
        ("store", set()),
        ("rabbitmq", set()),
    ],
)
def test_each_reaches_what_it_needs_and_no_more(net: Net, source: str, reaches: set[tuple[str, int]]) -> None:
    """The front door is open to all that may leave; of the fleet's own only those leave that have to."""
    allowed = reaches - {("ingest", 8080)} if source in ("worker", "replayer", "topology") else reaches

    assert net.reached_by(source) == allowed


def test_the_brokers_nodes_reach_each_other_and_nobody_else_does(net: Net) -> None:
    # 35672 to 35682: rabbitmqctl in one pod is answered by the nodes in all; it hangs where they don't reach it.
    for port in (4369, 25672, 35672, 35682, 5672):
        assert net.may("rabbitmq", "rabbitmq", port)
    for port in (4369, 25672, 35672):
        assert net.who_reaches("rabbitmq", port) == set()


def test_all_that_speak_by_name_reach_the_dns(net: Net) -> None:
    for source in (*FLEET, "rabbitmq", "test", "load"):
        for target in ("dns", "node-dns"):
            assert net.may(source, target, 53, "UDP"), source
            assert net.may(source, target, 53), source
        assert not net.may(source, "dns", 5432), source
    assert not net.may("stranger", "dns", 53, "UDP")


def test_only_the_console_reaches_the_kubernetes_api(net: Net) -> None:
    ours = [name for name, place in net.places.items() if place.namespace == NAMESPACE and name != "neighbour"]

    for port in (443, 6443):
        assert [name for name in ours if net.may(name, "api", port)] == ["console"]


def test_the_way_to_the_kubernetes_api_can_be_narrowed() -> None:
    net = Net(at("networkPolicy.kubernetesApiCidrs", ["10.96.0.1/32"]))

    assert net.may("console", "api", 443)
    assert not net.may("console", "internet", 443)


def test_an_ingress_is_the_only_way_from_outside() -> None:
    net = Net({"ingest": {"ingress": {"enabled": True}}, "console": {"ingress": {"enabled": True}}})

    inside = {"console", "test", "load", "prometheus", "ingress-controller"}
    assert net.who_reaches("ingest", 8080) == inside
    assert net.who_reaches("console", 8090) == {"test", "prometheus", "ingress-controller"}


@pytest.mark.parametrize("kind", ["NodePort", "LoadBalancer"])
def test_a_service_that_is_open_to_the_outside_is_open(kind: str) -> None:
    net = Net({"console": {"service": {"type": kind}}, "ingest": {"ingress": {"enabled": True}}})

    assert net.may("internet", "console", 8090)
    assert not net.may("internet", "ingest", 8080)


OPERATORS = {"rabbitmq": {"mode": "operator"}}
ELSEWHERE: Json = {
    "rabbitmq": {
        "mode": "external",
        "external": {"existingSecret": "our-broker", "managementHost": "http://rabbitmq.example:15672"},
    },
    "store": {"mode": "s3", "s3": {"bucket": "films"}},
}


def test_the_operators_nodes_have_the_same_policy_as_ours(net: Net) -> None:
    theirs = Net(OPERATORS)

    for port in SERVERS["rabbitmq"]:
        assert theirs.who_reaches("rabbitmq", port) == net.who_reaches("rabbitmq", port), port
        assert theirs.may("rabbitmq", "rabbitmq", port) == net.may("rabbitmq", "rabbitmq", port), port


def test_a_broker_and_a_bucket_outside_are_reached_at_their_ports() -> None:
    net = Net(ELSEWHERE)

    for source in ("ingest", "console", "worker", "replayer"):
        assert all(net.may(source, "internet", port) for port in (5672, 5671, 15672, 15671, 443)), source
        assert not net.may(source, "internet", 22), source
    assert not net.may("topology", "bucket", 443)


def test_their_addresses_can_be_given() -> None:
    net = Net(
        merged(ELSEWHERE, at("networkPolicy", {"brokerCidrs": ["203.0.113.0/24"], "storeCidrs": ["198.51.100.0/24"]}))
    )

    assert net.may("worker", "internet", 5671)
    assert net.may("worker", "bucket", 443)
    assert not net.may("worker", "bucket", 5671)
    assert not net.may("worker", "internet", 443)


@pytest.mark.parametrize(
    ("endpoint", "port"),
    [
        ("", 443),
        ("https://s3.example", 443),
        ("http://s3.example", 80),
        ("http://minio.storage.svc:9000", 9000),
        ("https://s3.example:8443/path", 8443),
    ],
)
def test_the_port_of_a_bucket_is_its_endpoints(endpoint: str, port: int) -> None:
    net = Net(merged(ELSEWHERE, at("store.s3.endpoint", endpoint)))

    assert {each for each in (80, 443, 8443, 9000) if net.may("worker", "bucket", each)} == {port}


def test_a_volume_needs_no_network() -> None:
    net = Net(at("store.mode", "pvc"))

    assert not any(net.may("worker", "bucket", port) for port in (80, 443, 7070))


def test_the_load_job_reaches_the_front_door_that_it_is_told() -> None:
    net = Net(at("load", {"enabled": True, "host": "https://media.example.com"}))

    assert net.may("load", "internet", 443)
    assert not net.may("load", "internet", 80)
    assert not net.may("worker", "internet", 443)


def test_without_policies_nothing_is_forbidden() -> None:
    net = Net(at("networkPolicy.enabled", False))

    assert net.policies == []
    assert net.may("internet", "rabbitmq", 25672)


def _peer(**peer: Any) -> Json:
    spec = {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": [peer]}]}
    return {"metadata": {"name": "one", "namespace": NAMESPACE}, "spec": spec}


INSIDE = namespaced("inside", NAMESPACE, {"app": "inside"})


@pytest.mark.parametrize(
    ("policy", "reaching"),
    [
        (_peer(podSelector={}), {"neighbour"}),
        (_peer(podSelector={"matchLabels": {"app": "x"}}), set()),
        (_peer(namespaceSelector={}), {"neighbour", "other", "keda"}),
        (_peer(namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "keda"}}), {"keda"}),
        (_peer(namespaceSelector={}, podSelector={"matchLabels": {"app": "else"}}), {"neighbour"}),
        (_peer(ipBlock={"cidr": "203.0.113.0/24"}), {"internet"}),
        (_peer(ipBlock={"cidr": "203.0.113.0/24", "except": ["203.0.113.9/32"]}), set()),
    ],
)
def test_peers_are_read_as_kubernetes_reads_them(policy: Json, reaching: set[str]) -> None:
    asked = ("neighbour", "other", "keda", "internet")

    assert {each for each in asked if lets_through([policy], OUTSIDE[each], INSIDE, 80)} == reaching
