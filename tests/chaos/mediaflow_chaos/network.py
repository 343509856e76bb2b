"""A network of a run's own: one namespace for each host, joined by a bridge, whose links go down without a word.

Everything carries the run's pid and start time in its name, so that the next run can remove what a killed one left.
"""

import itertools
import os
import random
import re
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from local_fleet.identity import ProcessIdentity
from mediaflow_chaos.ip_tool import IpFailed, ip, ip_list

#: 198.18.0.0/15 is set aside for measurements (RFC 2544): no real network uses it. One /24 for each run.
_NETWORKS = [f"198.{high}.{low}" for high in (18, 19) for low in range(256)]
_GATEWAY, _FIRST_HOST = 1, 11
_NOBODY = "02:00:00:00:00:01"
_NAMESPACES = Path("/run/netns")
_LINK = re.compile(r"mf(?P<pid>\d+)\.\d+(b|n\d)")
_NAMESPACE = re.compile(r"mediaflow-chaos-(?P<pid>\d+)-(?P<started>\d+)-\d+-n\d")
_ANSWER_LIMIT_S = 5.0
_serials = itertools.count()


class NetworkImpossible(Exception):
    """This machine does not let us make namespaces, or nothing gets through them. Says why."""


class Network:
    """Hosts 0, 1, … with an address each, reached from this machine's own namespace by way of the bridge.

    Neighbours are entered by hand: what is sent into a cut link vanishes, and nobody is told "no route to host".
    Raises NetworkImpossible.
    """

    def __init__(self, hosts: int) -> None:
        try:
            remove_leftovers()
        except IpFailed as error:
            raise NetworkImpossible(str(error)) from error
        me = ProcessIdentity.of(os.getpid())
        assert me is not None
        serial = next(_serials)
        self._links = [f"mf{me.pid}.{serial}n{number}" for number in range(hosts)]
        self._bridge = f"mf{me.pid}.{serial}b"
        self._owner = f"{me.pid} {me.started}"
        self._namespaces = [f"mediaflow-chaos-{me.pid}-{me.started}-{serial}-n{number}" for number in range(hosts)]
        self._hardware = [f"02:{random.randbytes(5).hex(':')}" for _ in range(hosts + 1)]
        try:
            self._prefix = self._make_bridge()
            self.addresses = [f"{self._prefix}.{_FIRST_HOST + number}" for number in range(hosts)]
            for number in range(hosts):
                self._make_host(number)
            self._try_out()
        except (IpFailed, OSError) as error:
            self.close()
            raise NetworkImpossible(str(error)) from error

    def command(self, host: int) -> list[str]:
        """Give the beginning of a command that runs on the host."""
        return ["ip", "netns", "exec", self._namespaces[host]]

    def cut(self, host: int) -> None:
        """Take the host's link down: what it sends and what is sent to it vanishes."""
        ip(f"link set {self._links[host]} down")

    def silence(self, sender: int, receiver: int) -> None:
        """Let what one host sends to another one vanish; the other direction stays."""
        self._neighbour(sender, receiver, _NOBODY)

    def mend(self) -> None:
        """Let everything through again."""
        for host, link in enumerate(self._links):
            ip(f"link set {link} up")
            for other in range(len(self._links)):
                if other != host:
                    self._neighbour(host, other, self._hardware[other])

    def close(self) -> None:
        """Remove all of it, and whatever still runs on its hosts."""
        for link in (*self._links, self._bridge):
            _remove_link(link)
        for namespace in self._namespaces:
            _remove_namespace(namespace)

    def _make_bridge(self) -> str:
        ip(
            f"link add {self._bridge} address {self._hardware[-1]} type bridge stp_state 0 forward_delay 0",
            f"link set {self._bridge} alias '{self._owner}' up",
        )
        for prefix in random.sample(_NETWORKS, len(_NETWORKS)):
            ip(f"addr add {prefix}.{_GATEWAY}/24 dev {self._bridge}")
            # Two runs that chose the same one at the same time both see it, and both choose again.
            if _networks_in_use().count(prefix) == 1:
                return prefix
            ip(f"addr del {prefix}.{_GATEWAY}/24 dev {self._bridge}")
        raise IpFailed("no free network in 198.18.0.0/15")

    def _make_host(self, number: int) -> None:
        link, namespace, hardware = self._links[number], self._namespaces[number], self._hardware[number]
        ip(
            f"netns add {namespace}",
            f"link add {link} type veth peer name eth0 address {hardware} netns {namespace}",
            f"link set {link} alias '{self._owner}' master {self._bridge} up",
            f"neigh replace {self.addresses[number]} lladdr {hardware} dev {self._bridge} nud permanent",
        )
        ip(
            "link set lo up",
            f"addr add {self.addresses[number]}/24 dev eth0",
            "link set eth0 up",
            f"neigh replace {self._prefix}.{_GATEWAY} lladdr {self._hardware[-1]} dev eth0 nud permanent",
            namespace=namespace,
        )
        for other in range(len(self._links)):
            if other != number:
                self._neighbour(number, other, self._hardware[other])

    def _neighbour(self, host: int, other: int, hardware: str) -> None:
        entry = f"neigh replace {self.addresses[other]} lladdr {hardware} dev eth0 nud permanent"
        ip(entry, namespace=self._namespaces[host])

    def _try_out(self) -> None:
        """See that packets get through: a port on which nobody listens says so at once."""
        for address in self.addresses:
            with suppress(ConnectionRefusedError):
                socket.create_connection((address, 9), _ANSWER_LIMIT_S).close()


def remove_leftovers() -> None:
    """Remove what runs that are gone have left behind: they were killed before they could."""
    for link in ip_list("link"):
        found = _LINK.fullmatch(str(link.get("ifname")))
        if found and not _lives(found["pid"], str(link.get("ifalias") or "").rpartition(" ")[2]):
            _remove_link(found[0])
    for path in _NAMESPACES.glob("mediaflow-chaos-*"):
        found = _NAMESPACE.fullmatch(path.name)
        if found and not _lives(found["pid"], found["started"]):
            _remove_namespace(path.name)


def _lives(pid: str, started: str) -> bool:
    """Whether the process is the one that began then; a link that is being made does not say when."""
    process = ProcessIdentity.of(int(pid))
    return process is not None and started in ("", str(process.started))


def _remove_link(name: str) -> None:
    with suppress(IpFailed):  # gone with its other end, or never made
        ip(f"link del {name}")


def _remove_namespace(name: str) -> None:
    if not (_NAMESPACES / name).exists():
        return
    pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout.split()
    for process in filter(None, (ProcessIdentity.of(int(pid)) for pid in pids)):
        process.end(0)
    with suppress(IpFailed):
        ip(f"netns del {name}")


def _networks_in_use() -> list[str]:
    return [
        str(address.get("local", "")).rpartition(".")[0]
        for link in ip_list("addr")
        for address in link.get("addr_info", ())
    ]
