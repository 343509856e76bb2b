"""A RabbitMQ node of our own on this machine, beside and apart from any system broker."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64encode
from dataclasses import asdict
from pathlib import Path
from urllib.parse import unquote, urlsplit

from local_fleet.broker_files import BrokerAddress, NodePlan, machine_memory, node_environment, write_files
from local_fleet.errors import BrokerNotInstalled, BrokerStartFailed
from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command
from local_fleet.ports import free_ports, is_free

__all__ = ["BrokerAddress", "PrivateBroker", "server_program"]

#: Where packages put the start script that runs as any user (the one in /usr/sbin changes user and environment).
_PROGRAMS = ("/usr/lib/rabbitmq/bin/rabbitmq-server", "/opt/rabbitmq/sbin/rabbitmq-server")

#: A cold node on a busy two-core machine; it usually answers after 5 to 16 s.
_START_LIMIT_S = 90.0

#: How long a node may take to close its queues, in seconds, before it is killed.
_STOP_LIMIT_S = 20.0

_POLL_S = 0.1


def server_program() -> Path | None:
    """Find the installed rabbitmq-server script that can be run as any user; None when there is none."""
    return next((Path(each) for each in _PROGRAMS if os.access(each, os.X_OK)), None)


class PrivateBroker:
    """A private node that keeps everything in `folder` and listens on loopback only.

    A second object on the same folder, in this or another process, sees and can stop the same node.

    >>> broker = PrivateBroker(Path(".run/broker"))
    >>> broker.start().amqp_url
    'amqp://mediaflow:…@127.0.0.1:40321/%2F'
    """

    def __init__(self, folder: Path, *, death_signal: signal.Signals = signal.SIGTERM) -> None:
        """`death_signal` ends the node when the process and thread that started it die."""
        self._folder = folder.absolute()
        self._death_signal = death_signal
        self._children: list[subprocess.Popen[bytes]] = []

    @property
    def pid(self) -> int | None:
        """Pid of the running node."""
        node = self._identity("node")
        return node.pid if node else None

    @property
    def is_running(self) -> bool:
        """Whether the node's process lives (it may not answer yet: see `is_ready`)."""
        return self._identity("node") is not None

    @property
    def address(self) -> BrokerAddress | None:
        """Where the node is, or was when it last ran; None before its first start."""
        plan = self._plan()
        return plan.address if plan else None

    @property
    def log_file(self) -> Path:
        """The node's own log."""
        return self._folder / "log" / "broker.log"

    def start(self, *, wait: bool = True) -> BrokerAddress:
        """Start the node (nothing happens when it runs) and wait until it takes connections.

        With `wait=False` the address is given at once; `wait_ready` is then the caller's.
        Raises BrokerNotInstalled, BrokerStartFailed.
        """
        plan = self._plan()
        if plan is None or not self.is_running:
            plan = self._launch(plan)
        if wait:
            self.wait_ready()
        return plan.address

    def is_ready(self) -> bool:
        """Whether the node takes AMQP connections and its management API answers."""
        plan = self._plan()
        return plan is not None and self.is_running and _listens(plan)

    def wait_ready(self, timeout_s: float = _START_LIMIT_S) -> None:
        """Wait until the node is ready. Raises BrokerStartFailed when it ends or takes too long."""
        deadline = time.monotonic() + timeout_s
        while not self.is_ready():
            if not self.is_running:
                raise BrokerStartFailed(f"the private broker ended while starting: {self._last_words()}")
            if time.monotonic() > deadline:
                raise BrokerStartFailed(
                    f"the private broker did not answer within {timeout_s:.0f} s; see {self.log_file}"
                )
            time.sleep(_POLL_S)

    def stop(self, grace_s: float = _STOP_LIMIT_S) -> bool:
        """Stop the node, by force after `grace_s` seconds, and end its epmd. True when one was running."""
        return self._end(grace_s)

    def kill(self) -> bool:
        """End node and epmd at once, as a power cut would. True when one was running."""
        return self._end(0.0)

    def restart(self, grace_s: float = _STOP_LIMIT_S) -> BrokerAddress:
        """Stop and start again on the same ports with the same data."""
        self.stop(grace_s)
        return self.start()

    def _launch(self, earlier: NodePlan | None) -> NodePlan:
        program = server_program()
        epmd = shutil.which("epmd")
        if program is None or epmd is None:
            raise BrokerNotInstalled(
                "no rabbitmq-server on this machine: apt-get install rabbitmq-server, or set AMQP_URL"
            )
        self._end(0.0)  # an epmd may have outlived its node
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        plan = earlier if earlier and all(map(is_free, earlier.ports)) else _new_plan(self._folder, earlier)
        write_files(plan, machine_memory())
        environment = node_environment(plan, os.environ)
        self._remember(
            plan, epmd=self._spawn([epmd, "-port", str(plan.epmd_port), "-address", "127.0.0.1"], environment)
        )
        self._remember(plan, epmd=self._identity("epmd"), node=self._spawn([str(program)], environment))
        return plan

    def _spawn(self, command: list[str], environment: dict[str, str]) -> ProcessIdentity | None:
        with (self._folder / "log" / "output.log").open("ab") as output:
            child = subprocess.Popen(
                bound_command(command, self._death_signal),
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C in the terminal is for the supervisor, which stops in order
            )
        self._children.append(child)
        return ProcessIdentity.of(child.pid)

    def _end(self, grace_s: float) -> bool:
        node, epmd = self._identity("node"), self._identity("epmd")
        if node:
            if grace_s > 0:
                node.end(grace_s)
            else:
                node.send(signal.SIGKILL)
                node.wait(5.0)
        if epmd:
            epmd.end(2.0)
        for child in self._children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(1.0)
        self._children.clear()
        return node is not None

    @property
    def _state_file(self) -> Path:
        return self._folder / "broker.json"

    def _state(self) -> dict[str, dict[str, str | int]]:
        try:
            state = json.loads(self._state_file.read_text())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _plan(self) -> NodePlan | None:
        try:
            values = self._state()["plan"]
            return NodePlan(**(values | {"folder": self._folder}))  # type: ignore[arg-type]
        except (KeyError, TypeError):
            return None

    def _identity(self, role: str) -> ProcessIdentity | None:
        try:
            identity = ProcessIdentity(**self._state()[role])  # type: ignore[arg-type]
        except (KeyError, TypeError):
            return None
        return identity if identity.is_alive() else None

    def _remember(self, plan: NodePlan, **processes: ProcessIdentity | None) -> None:
        state: dict[str, object] = {"plan": asdict(plan) | {"folder": str(plan.folder)}}
        state |= {role: asdict(identity) for role, identity in processes.items() if identity}
        partial = self._state_file.with_suffix(".part")
        partial.touch(mode=0o600)
        partial.write_text(json.dumps(state))
        partial.replace(self._state_file)

    def _last_words(self) -> str:
        for name in ("output.log", "broker.log"):
            with contextlib.suppress(OSError):
                lines = (self._folder / "log" / name).read_text(errors="replace").split("\n")
                spoken = [line.strip() for line in lines if line.strip()]
                if spoken:
                    return f"{spoken[-1]} (all of it: {self._folder / 'log'})"
        return f"no output; see {self._folder / 'log'}"


def _new_plan(folder: Path, earlier: NodePlan | None) -> NodePlan:
    """Plan a node on free ports; name, user and password stay with the data they belong to."""
    amqp, management, distribution, epmd = free_ports(4)
    return NodePlan(
        folder=folder,
        name=earlier.name if earlier else f"mediaflow-{secrets.token_hex(4)}@localhost",
        amqp_port=amqp,
        management_port=management,
        distribution_port=distribution,
        epmd_port=epmd,
        user=earlier.user if earlier else "mediaflow",
        password=earlier.password if earlier else secrets.token_urlsafe(18),
    )


def _listens(plan: NodePlan) -> bool:
    parts = urlsplit(plan.address.management_url)
    login = b64encode(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()).decode()
    request = urllib.request.Request(
        f"http://{parts.hostname}:{parts.port}/api/health/checks/port-listener/{plan.amqp_port}",
        headers={"Authorization": f"Basic {login}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except (OSError, urllib.error.HTTPError):
        return False
