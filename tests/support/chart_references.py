"""What rendered objects speak of without being it: each function says of one release what is not there."""

from collections.abc import Iterator, Sequence
from typing import Any

from chart_objects import COMPONENT, PodTemplate, matches, operators_pods, operators_service, pod_templates

Json = dict[str, Any]
#: Kind and name of an object of the user's, with the keys that the chart may ask for.
Known = dict[tuple[str, str], set[str]]

#: Keys of the Secret that RabbitMQ's operator makes for a cluster (its documentation: the default user).
OPERATORS_SECRET = {
    "username",
    "password",
    "host",
    "port",
    "provider",
    "type",
    "default_user.conf",
    "connection_string",
}


#: Where rabbitmqctl of one node is answered by another's: it opens the port for the time of a call (35672 to 35682).
RABBITMQ_CLI = 35672
#: Pods that come when somebody asks for them; policies may speak of them before.
OCCASIONAL = {"load"}


def unmet_references(objects: Sequence[Json], users: Known) -> list[str]:
    """Say which Secrets, ConfigMaps, keys, claims, accounts and volumes pods speak of that are not there."""
    there = dict(users)
    for each in objects:
        keys = {*(each.get("data") or {}), *(each.get("stringData") or {}), *(each.get("binaryData") or {})}
        there[each["kind"], each["metadata"]["name"]] = keys
        if each["kind"] == "RabbitmqCluster":
            there["Secret", f"{each['metadata']['name']}-default-user"] = OPERATORS_SECRET
    found = []
    for pod in pod_templates(objects):
        wanted = [*_of_environment(pod), *_of_volumes(pod), *_of_pod(pod)]
        found += [f"{pod.name}: {kind} {name}" for kind, name, _ in wanted if (kind, name) not in there]
        found += [
            f"{pod.name}: {kind} {name} without {key}"
            for kind, name, key in wanted
            if key and (kind, name) in there and key not in there[kind, name]
        ]
        found += [f"{pod.name}: {said}" for said in _of_mounts(pod, there)]
    return found


def _of_environment(pod: PodTemplate) -> Iterator[tuple[str, str, str]]:
    for container in pod.containers:
        for each in container.get("env", []):
            for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
                if ref := (each.get("valueFrom") or {}).get(field):
                    yield kind, ref["name"], ref["key"]
        for each in container.get("envFrom", []):
            for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
                if ref := each.get(field):
                    yield kind, ref["name"], ""


def _of_volumes(pod: PodTemplate) -> Iterator[tuple[str, str, str]]:
    for volume in pod.spec.get("volumes", []):
        for source in [volume, *(volume.get("projected") or {}).get("sources", [])]:
            for kind, plural, name in (("Secret", "secret", "secretName"), ("ConfigMap", "configMap", "name")):
                if plural in source:
                    yield kind, source[plural].get(name) or source[plural]["name"], ""
                    for item in source[plural].get("items", []):
                        yield kind, source[plural].get(name) or source[plural]["name"], item["key"]
        if claim := volume.get("persistentVolumeClaim"):
            yield "PersistentVolumeClaim", claim["claimName"], ""


def _of_pod(pod: PodTemplate) -> Iterator[tuple[str, str, str]]:
    if account := pod.spec.get("serviceAccountName"):
        yield "ServiceAccount", account, ""
    for secret in pod.spec.get("imagePullSecrets", []):
        yield "Secret", secret["name"], ""


def _of_mounts(pod: PodTemplate, there: Known) -> Iterator[str]:
    volumes = {volume["name"]: volume for volume in pod.spec.get("volumes", [])}
    if pod.owner["kind"] == "StatefulSet":
        claims = pod.owner["spec"].get("volumeClaimTemplates", [])
        volumes |= {claim["metadata"]["name"]: claim for claim in claims}
    mounted = set()
    for container in pod.containers:
        for mount in container.get("volumeMounts", []):
            mounted.add(mount["name"])
            if mount["name"] not in volumes:
                yield f"mounts {mount['name']}, which is no volume"
                continue
            config = volumes[mount["name"]].get("configMap")
            part = mount.get("subPath")
            if config and part and part not in there.get(("ConfigMap", config["name"]), {part}):
                yield f"mounts {part} of ConfigMap {config['name']}"
    for name in set(volumes) - mounted:
        yield f"volume {name} is mounted nowhere"


def unmet_selectors(objects: Sequence[Json]) -> list[str]:
    """Say which selectors choose nothing, or a port that nothing has."""
    pods = [*pod_templates(objects), *operators_pods(objects)]
    services = [*(each for each in objects if each["kind"] == "Service"), *operators_service(objects)]
    found = []
    for each in objects:
        rules = _RULES.get(each["kind"], [])
        name = f"{each['kind']} {each['metadata']['name']}"
        found += [f"{name}: {said}" for rule in rules for said in rule(each, pods, services, objects)]
    return found


def _owner(thing: Json, pods: Sequence[PodTemplate], *_: Any) -> Iterator[str]:
    """A workload's selector chooses its own pods and nobody else's."""
    selector = thing["spec"]["selector"]
    for pod in pods:
        if matches(selector, pod.labels) != (pod.owner is thing):
            yield f"its selector and the pods of {pod.name}"


def _service(thing: Json, pods: Sequence[PodTemplate], *_: Any) -> Iterator[str]:
    chosen = [pod for pod in pods if matches(thing["spec"]["selector"], pod.labels)]
    if len({pod.owner["metadata"]["name"] for pod in chosen}) != 1:
        yield f"chooses {[pod.name for pod in chosen]}"
    for port in thing["spec"]["ports"]:
        target = port.get("targetPort", port["port"])
        for pod in chosen:
            if target not in pod.ports() and target not in pod.ports().values():
                yield f"port {target} is none of {pod.name}"


def _choosing_pods(thing: Json, pods: Sequence[PodTemplate], *_: Any) -> Iterator[str]:
    selector = thing["spec"].get("podSelector", thing["spec"].get("selector"))
    if thing["metadata"]["labels"][COMPONENT] in OCCASIONAL:
        return
    if not any(matches(selector, pod.labels) for pod in pods):
        yield f"chooses no pod: {selector}"


def _policy(thing: Json, pods: Sequence[PodTemplate], *_: Any) -> Iterator[str]:
    """Peers within the namespace are pods of the release, and ports are some that those who are asked have."""
    chosen = [pod for pod in pods if matches(thing["spec"]["podSelector"], pod.labels)]
    for rule in thing["spec"].get("ingress") or []:
        yield from _peers(rule.get("from") or [], pods)
        yield from _ports(rule, chosen)
    for rule in thing["spec"].get("egress") or []:
        peers = rule.get("to") or []
        yield from _peers(peers, pods)
        for peer in peers:
            if "podSelector" in peer and "namespaceSelector" not in peer:
                yield from _ports(rule, [pod for pod in pods if matches(peer["podSelector"], pod.labels)])


def _peers(peers: Sequence[Json], pods: Sequence[PodTemplate]) -> Iterator[str]:
    for peer in peers:
        is_ours = "podSelector" in peer and "namespaceSelector" not in peer
        if is_ours and not any(matches(peer["podSelector"], pod.labels) for pod in pods):
            yield f"its peer is no pod: {peer['podSelector']}"


def _ports(rule: Json, pods: Sequence[PodTemplate]) -> Iterator[str]:
    for port in rule.get("ports") or []:
        wanted = port.get("port")
        if wanted in (None, RABBITMQ_CLI):
            continue
        if not any({wanted} & {*pod.ports(), *pod.ports().values()} for pod in pods):
            yield f"port {wanted} is none of {[pod.name for pod in pods]}"


def _backend(thing: Json, _: Any, services: Sequence[Json], *__: Any) -> Iterator[str]:
    for rule in thing["spec"]["rules"]:
        for path in rule["http"]["paths"]:
            backend = path["backend"]["service"]
            ports = {each["metadata"]["name"]: each["spec"]["ports"] for each in services}
            if backend["port"]["name"] not in {port["name"] for port in ports.get(backend["name"], [])}:
                yield f"no service {backend}"


def _target(thing: Json, _: Any, __: Any, objects: Sequence[Json]) -> Iterator[str]:
    target = thing["spec"]["scaleTargetRef"]
    kind = target.get("kind", "Deployment")
    if not any(each["kind"] == kind and each["metadata"]["name"] == target["name"] for each in objects):
        yield f"scales {target}"


def _authentication(thing: Json, _: Any, __: Any, objects: Sequence[Json]) -> Iterator[str]:
    names = {each["metadata"]["name"] for each in objects if each["kind"] == "TriggerAuthentication"}
    for trigger in thing["spec"]["triggers"]:
        ref = trigger.get("authenticationRef")
        if ref and ref["name"] not in names:
            yield f"no TriggerAuthentication {ref['name']}"


def _service_monitor(thing: Json, _: Any, services: Sequence[Json], *__: Any) -> Iterator[str]:
    chosen = [each for each in services if matches(thing["spec"]["selector"], each["metadata"]["labels"])]
    if not chosen:
        yield "chooses no service"
    for endpoint in thing["spec"]["endpoints"]:
        if not any(endpoint["port"] == port["name"] for each in chosen for port in each["spec"]["ports"]):
            yield f"port {endpoint['port']} is none of what it chooses"


def _pod_monitor(thing: Json, pods: Sequence[PodTemplate], *_: Any) -> Iterator[str]:
    chosen = [pod for pod in pods if matches(thing["spec"]["selector"], pod.labels)]
    if not chosen:
        yield "chooses no pod"
    for endpoint in thing["spec"]["podMetricsEndpoints"]:
        for pod in chosen:
            if endpoint["port"] not in pod.ports():
                yield f"port {endpoint['port']} is none of {pod.name}"


def _binding(thing: Json, _: Any, __: Any, objects: Sequence[Json]) -> Iterator[str]:
    names = {(each["kind"], each["metadata"]["name"]) for each in objects}
    for ref in [thing["roleRef"], *thing["subjects"]]:
        if (ref["kind"], ref["name"]) not in names:
            yield f"no {ref['kind']} {ref['name']}"


_RULES: dict[str, list[Any]] = {
    "Deployment": [_owner],
    "StatefulSet": [_owner],
    "Service": [_service],
    "PodDisruptionBudget": [_choosing_pods],
    "NetworkPolicy": [_choosing_pods, _policy],
    "Ingress": [_backend],
    "HorizontalPodAutoscaler": [_target],
    "ScaledObject": [_target, _authentication],
    "ServiceMonitor": [_service_monitor],
    "PodMonitor": [_pod_monitor],
    "RoleBinding": [_binding],
}
