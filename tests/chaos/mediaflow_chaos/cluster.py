"""Three RabbitMQ nodes on this machine, clustered, each of which may be hurt."""

import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from local_fleet.broker import server_program
from local_fleet.broker_files import NodePlan, write_files
from local_fleet.ports import LOOPBACK, free_ports
from mediaflow_chaos.cluster_node import ClusterNode
from mediaflow_chaos.member import wait_until
from mediaflow_chaos.network import Network

SIZE = 3
_MEMORY_BYTES = 2 * 1024**3
_FORMED_LIMIT_S = 120.0
#: How long a cluster gets to become whole by itself after a partition. Seconds.
_HEALED_LIMIT_S = 40.0
#: Dead-lettering that was lost on its way is tried again after ten seconds instead of three minutes.
_ADVANCED = "[{rabbit, [{quorum_tick_interval, 1000}, {dead_letter_worker_publisher_confirm_timeout, 10000}]}].\n"


class Cluster:
    """Three nodes with one cookie: each in a namespace of the network, or all on loopback with a port set each."""

    vhost = "/"

    def __init__(self, folder: Path, *, network: Network | None = None, program: Path | None = None) -> None:
        """`program`: the rabbitmq-server script, by default the installed one."""
        self.network = network
        self._folder = folder
        program = program or server_program()
        assert program is not None, "no RabbitMQ on this machine"
        plans = _plans(folder, network)
        self.nodes = [
            ClusterNode(
                plan,
                program,
                prefix=network.command(number) if network else (),
                variables={"RABBITMQ_USE_LONGNAME": "true"} if network else {},
            )
            for number, plan in enumerate(plans)
        ]
        cookie = secrets.token_hex(12).upper()
        for plan in plans:
            _write(plan, [each.name for each in plans], cookie)
        # A namespace has an epmd of its own; on loopback one serves all.
        self._epmds = [self._epmd(node) for node in (self.nodes if network else self.nodes[:1])]
        hosts = ",".join(f"{plan.host}:{plan.amqp_port}" for plan in plans)
        self.amqp_url = f"amqp://mediaflow:{quote(plans[0].password, safe='')}@{hosts}/%2F"

    @property
    def management_url(self) -> str:
        """The management API of a node that answers."""
        for node in self.nodes:
            with suppress(OSError, ValueError):
                node.ask("overview?columns=node")
                return node.plan.address.management_url
        return self.nodes[0].plan.address.management_url

    def start(self) -> None:
        """Start all and wait until they have found each other. Raises TimeoutError."""
        for node in self.nodes:
            node.start()
        self.await_whole()

    def await_whole(self, limit_s: float = _FORMED_LIMIT_S) -> None:
        """Wait until every node sees three. Raises TimeoutError."""
        wait_until(
            lambda: all(node.sees() == SIZE for node in self.nodes), f"a whole cluster ({self._folder})", limit_s
        )

    def heal(self, node: ClusterNode) -> bool:
        """Wait until the cluster is whole; restart this node when it does not come back by itself. True: it had to be.

        That is an operator's act: RabbitMQ leaves it to him when a node has not noticed that it was away.
        """
        with suppress(TimeoutError):
            self.await_whole(_HEALED_LIMIT_S)
            return False
        node.kill()
        node.start()
        self.await_whole()
        return True

    def leader_of(self, queue: str) -> ClusterNode:
        """Give the node on which the queue's leader is. Raises OSError, LookupError."""
        found = self._ask_any(f"queues/%2F/{queue}?columns=leader,node")
        name = found.get("leader") or found.get("node") if isinstance(found, dict) else None
        return self._named(str(name))

    def node_of_client(self, part_of_name: str) -> ClusterNode:
        """Give a node to which a client with this in its name is connected. Raises OSError, LookupError."""
        for node in self._nodes_of_client(part_of_name):
            return node
        raise LookupError(f"no connection of {part_of_name}")

    def end(self) -> None:
        """End all of it, the network too."""
        for node in self.nodes:
            node.kill()
        for epmd in self._epmds:
            epmd.kill()
            epmd.wait()
        if self.network:
            self.network.close()

    def _nodes_of_client(self, part_of_name: str) -> Iterator[ClusterNode]:
        found = self._ask_any("connections?columns=node,client_properties")
        for each in found if isinstance(found, list) else []:
            if part_of_name in str(each.get("client_properties", {}).get("connection_name", "")):
                yield self._named(str(each["node"]))

    def _ask_any(self, path: str) -> object:
        deadline = time.monotonic() + 10
        while True:
            for node in self.nodes:
                with suppress(OSError, ValueError):
                    return node.ask(path)
            if time.monotonic() > deadline:
                raise OSError("no node's management API answers")
            time.sleep(0.2)

    def _named(self, name: str) -> ClusterNode:
        found = [node for node in self.nodes if node.plan.name == name]
        if not found:
            raise LookupError(f"no node {name}")
        return found[0]

    @staticmethod
    def _epmd(node: ClusterNode) -> subprocess.Popen[bytes]:
        plan = node.plan
        return node.spawn([str(shutil.which("epmd")), "-port", str(plan.epmd_port), "-address", plan.host])


def _plans(folder: Path, network: Network | None) -> list[NodePlan]:
    mark, password = secrets.token_hex(3), secrets.token_urlsafe(12)
    epmd_port, *ports = free_ports(1 + 3 * SIZE)
    plans = []
    for number in range(SIZE):
        host = network.addresses[number] if network else LOOPBACK
        name = f"n{number}-{mark}@{host if network else 'localhost'}"
        amqp, management, distribution = ports[number * 3 : number * 3 + 3]
        plans.append(
            NodePlan(
                folder / f"n{number}", name, amqp, management, distribution, epmd_port, "mediaflow", password, host
            )
        )
    return plans


def _write(plan: NodePlan, names: list[str], cookie: str) -> None:
    plan.folder.mkdir(parents=True, mode=0o700)
    write_files(plan, _MEMORY_BYTES)
    lines = ["cluster_formation.peer_discovery_backend = classic_config", "cluster_partition_handling = pause_minority"]
    lines += [f"cluster_formation.classic_config.nodes.{number} = {name}" for number, name in enumerate(names, 1)]
    (plan.folder / "conf.d" / "10-cluster.conf").write_text("\n".join(lines) + "\n")
    (plan.folder / "advanced.config").write_text(_ADVANCED)
    file = plan.folder / "home" / ".erlang.cookie"
    file.write_text(cookie)
    file.chmod(0o400)
