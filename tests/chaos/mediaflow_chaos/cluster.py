"""Three RabbitMQ nodes on this machine, clustered, each of which may be hurt."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import time
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from local_fleet.broker import server_program
from local_fleet.broker_files import NodePlan, node_environment, write_files
from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command
from local_fleet.ports import LOOPBACK, free_ports
from mediaflow_chaos.member import wait_until

_MEMORY_BYTES = 2 * 1024**3
_FORMED_LIMIT_S = 120.0
#: How long a cluster gets to become whole by itself after a partition. Seconds.
_HEALED_LIMIT_S = 40.0
#: Dead-lettering that was lost on its way is tried again after ten seconds instead of three minutes.
_ADVANCED = "[{rabbit, [{quorum_tick_interval, 1000}, {dead_letter_worker_publisher_confirm_timeout, 10000}]}].\n"


class ClusterNode:
    """One of the nodes."""

    def __init__(self, plan: NodePlan) -> None:
        self.plan = plan
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> ProcessIdentity | None:
        """The running node."""
        process = self._process
        return ProcessIdentity.of(process.pid) if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Start it; does not wait until it takes connections."""
        if self.process is not None:
            return
        environment = node_environment(self.plan, os.environ)
        # One scheduler a node: three nodes share two processors with everything else.
        environment["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] += " +S 1:1 +A 4"
        with (self.plan.folder / "log" / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                bound_command([str(server_program())], signal.SIGKILL),
                cwd=self.plan.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def kill(self) -> None:
        """SIGKILL it."""
        if process := self.process:
            process.send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(10)

    def ask(self, path: str) -> object:
        """Ask its management API. Raises OSError."""
        url = urlsplit(self.plan.address.management_url)
        login = b64encode(f"{self.plan.user}:{self.plan.password}".encode()).decode()
        request = Request(f"http://{url.hostname}:{url.port}/api/{path}", headers={"Authorization": f"Basic {login}"})
        with urlopen(request, timeout=5) as answer:
            return json.load(answer)

    def is_up(self) -> bool:
        """Whether it runs, in a cluster of three as it sees it."""
        with suppress(OSError, ValueError):
            nodes = self.ask("nodes?columns=name,running")
            return isinstance(nodes, list) and sum(1 for node in nodes if node.get("running")) == 3
        return False

    def evaluate(self, erlang: str) -> None:
        """Run an expression inside the node. Raises OSError with what it said."""
        done = subprocess.run(
            ["/usr/lib/rabbitmq/bin/rabbitmqctl", "-n", self.plan.name, "eval", erlang],
            env=node_environment(self.plan, os.environ),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise OSError(done.stderr or done.stdout)


class Cluster:
    """Three nodes with one cookie, one epmd and a port set each."""

    vhost = "/"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        mark, password, cookie = secrets.token_hex(3), secrets.token_urlsafe(12), secrets.token_hex(12).upper()
        epmd_port, *ports = free_ports(10)
        names = [f"n{number}-{mark}@localhost" for number in range(3)]
        self.nodes = [
            ClusterNode(_plan(folder / f"n{number}", name, ports[number * 3 : number * 3 + 3], epmd_port, password))
            for number, name in enumerate(names)
        ]
        for node in self.nodes:
            _write(node.plan, names, cookie)
        environment = node_environment(self.nodes[0].plan, os.environ)
        self._epmd = subprocess.Popen(
            bound_command([str(shutil.which("epmd")), "-port", str(epmd_port), "-address", LOOPBACK], signal.SIGKILL),
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        hosts = ",".join(f"{LOOPBACK}:{node.plan.amqp_port}" for node in self.nodes)
        self.amqp_url = f"amqp://mediaflow:{quote(password, safe='')}@{hosts}/%2F"

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

    def await_whole(self) -> None:
        """Wait until every node sees three. Raises TimeoutError."""
        wait_until(
            lambda: all(node.is_up() for node in self.nodes), f"a whole cluster ({self._folder})", _FORMED_LIMIT_S
        )

    def heal(self, node: ClusterNode) -> bool:
        """Wait until the cluster is whole; restart this node when it does not come back by itself. True: it had to be.

        That is an operator's act: RabbitMQ leaves it to him when a node has not noticed that it was away.
        """
        with suppress(TimeoutError):
            wait_until(lambda: all(each.is_up() for each in self.nodes), "a whole cluster", _HEALED_LIMIT_S)
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
        found = self._ask_any("connections?columns=node,client_properties")
        for each in found if isinstance(found, list) else []:
            if part_of_name in str(each.get("client_properties", {}).get("connection_name", "")):
                return self._named(str(each["node"]))
        raise LookupError(f"no connection of {part_of_name}")

    def end(self) -> None:
        """End all of it."""
        for node in self.nodes:
            node.kill()
        self._epmd.kill()
        self._epmd.wait()

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


def _plan(folder: Path, name: str, ports: list[int], epmd_port: int, password: str) -> NodePlan:
    amqp, management, distribution = ports
    return NodePlan(folder, name, amqp, management, distribution, epmd_port, "mediaflow", password)


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
