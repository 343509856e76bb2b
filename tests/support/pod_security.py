"""Kubernetes' Pod Security Standards, level "restricted", as its documentation lists them (1.37)."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

#: Volumes that a restricted pod may have.
VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
SYSCTLS = {
    *("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start"),
    *("net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports"),
    *("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"),
    *("net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
}
SELINUX_TYPES = {None, "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"}


def violations(spec: Json) -> list[str]:
    """Say what a pod's spec has that the level "restricted" does not let in."""
    return [*_of_pod(spec), *(f"{each['name']}: {said}" for each in _containers(spec) for said in _of(each, spec))]


def _containers(spec: Json) -> list[Json]:
    return [*spec.get("initContainers", []), *spec["containers"], *spec.get("ephemeralContainers", [])]


def _of_pod(spec: Json) -> Iterator[str]:
    for namespace in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(namespace):
            yield namespace
    for volume in spec.get("volumes", []):
        for kind in set(volume) - {"name"} - VOLUMES:
            yield f"volume {volume['name']} is of the kind {kind}"
    security = spec.get("securityContext", {})
    yield from _of_any(security)
    for sysctl in security.get("sysctls", []):
        if sysctl["name"] not in SYSCTLS:
            yield f"sysctl {sysctl['name']}"


def _of(container: Json, spec: Json) -> Iterator[str]:
    own, pod = container.get("securityContext", {}), spec.get("securityContext", {})
    yield from _of_any(own)
    if own.get("privileged"):
        yield "privileged"
    if own.get("allowPrivilegeEscalation") is not False:
        yield "allowPrivilegeEscalation is not false"
    if own.get("procMount") not in (None, "Default"):
        yield f"procMount {own['procMount']}"
    capabilities = own.get("capabilities", {})
    if "ALL" not in capabilities.get("drop", []):
        yield "does not drop ALL capabilities"
    for capability in set(capabilities.get("add", [])) - {"NET_BIND_SERVICE"}:
        yield f"adds {capability}"
    if own.get("runAsNonRoot", pod.get("runAsNonRoot")) is not True:
        yield "runAsNonRoot is not true"
    if (own.get("seccompProfile") or pod.get("seccompProfile") or {}).get("type") not in (
        "RuntimeDefault",
        "Localhost",
    ):
        yield "no seccompProfile"
    for port in container.get("ports", []):
        if port.get("hostPort"):
            yield f"hostPort {port['hostPort']}"
    hooks = container.get("lifecycle", {})
    looks = [container.get(probe, {}) for probe in ("startupProbe", "readinessProbe", "livenessProbe")]
    for look in [*looks, *hooks.values()]:
        if any((look.get(action) or {}).get("host") for action in ("httpGet", "tcpSocket")):
            yield "a probe or hook names a host"


def _of_any(security: Json) -> Iterator[str]:
    """What is forbidden to pods and to containers alike."""
    if security.get("runAsUser") == 0:
        yield "runs as user 0"
    if security.get("windowsOptions", {}).get("hostProcess"):
        yield "hostProcess"
    if security.get("appArmorProfile", {}).get("type") not in (None, "RuntimeDefault", "Localhost"):
        yield "appArmorProfile"
    linux = security.get("seLinuxOptions", {})
    if linux.get("type") not in SELINUX_TYPES or linux.get("user") or linux.get("role"):
        yield "seLinuxOptions"
