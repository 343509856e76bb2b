"""A RabbitMQ node of our own on this machine, beside and apart from any system broker."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from local_fleet.broker_files import BrokerAddress, machine_memory, node_environment, write_files
from local_fleet.broker_probe import takes_connections
from local_fleet.broker_state import BrokerState
from local_fleet.errors import BrokerNotInstalled, BrokerStartFailed
from local_fleet.exits import describe_exit, exit_code, last_line
from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command
from local_fleet.ports import LOOPBACK

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

    def __init__(
        self,
        folder: Path,
        *,
        death_signal: signal.Signals = signal.SIGTERM,
        marks: dict[str, str] | None = None,
        program: Path | None = None,
    ) -> None:
        """`death_signal` ends the node when the process and thread that started it die.

        `marks` are variables put into the environment of its processes. `program` is the rabbitmq-server script to
        start, by default the installed one.
        """
        self._folder = folder.absolute()
        self._death_signal = death_signal
        self._marks = marks or {}
        self._program = program
        self._state = BrokerState(self._folder)
        self._node: subprocess.Popen[bytes] | None = None
        self._epmd: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Pid of the running node."""
        node = self._state.identity("node")
        return node.pid if node else None

    @property
    def program(self) -> Path | None:
        """The script that starts the node; None when RabbitMQ is not installed."""
        return self._program or server_program()

    @property
    def is_running(self) -> bool:
        """Whether the node's process lives (it may not answer yet: see `is_ready`)."""
        return self.pid is not None

    @property
    def address(self) -> BrokerAddress | None:
        """Where the node is, or was when it last ran; None before its first start."""
        plan = self._state.plan()
        return plan.address if plan else None

    @property
    def log_file(self) -> Path:
        """The node's own log."""
        return self._folder / "log" / "broker.log"

    def start(self, *, wait: bool = True) -> BrokerAddress:
        """Start the node (nothing happens when it runs) and wait until it takes connections.

        Started again by the same object, it is at the same address, or is not started: clients know the address.

        With `wait=False` the address is given at once; `wait_ready` is then the caller's.
        Raises BrokerNotInstalled, BrokerStartFailed.
        """
        if not self.is_running:
            self._launch()
        address = self.address
        if address is None:
            raise BrokerStartFailed(f"{self._folder / 'broker.json'} can't be read back")
        if wait:
            self.wait_ready()
        return address

    def is_ready(self) -> bool:
        """Whether the node takes AMQP connections and its management API answers."""
        plan = self._state.plan()
        return plan is not None and self.is_running and takes_connections(plan)

    def wait_ready(self, timeout_s: float = _START_LIMIT_S) -> None:
        """Wait until the node is ready. Raises BrokerStartFailed when it ends or takes too long."""
        deadline = time.monotonic() + timeout_s
        while not self.is_ready():
            if not self.is_running:
                raise BrokerStartFailed(f"the private broker ended while starting: {self.last_words()}")
            if time.monotonic() > deadline:
                raise BrokerStartFailed(
                    f"the private broker did not answer within {timeout_s:.0f} s; see {self.log_file}"
                )
            time.sleep(_POLL_S)

    def stop(self, grace_s: float = _STOP_LIMIT_S) -> bool:
        """Stop the node, by force after `grace_s` seconds, and end its epmd. True when one was running."""
        node, epmd = self._state.identity("node"), self._state.identity("epmd")
        if node:
            node.end(grace_s)
        if epmd:
            epmd.end(2.0)
        for child in filter(None, (self._node, self._epmd)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(1.0)  # take its exit code, so that no zombie stays
        return node is not None

    def kill(self) -> bool:
        """End node and epmd at once, as a power cut would. True when one was running."""
        return self.stop(grace_s=0.0)

    def restart(self, grace_s: float = _STOP_LIMIT_S) -> BrokerAddress:
        """Stop and start again on the same ports with the same data."""
        self.stop(grace_s)
        return self.start()

    def last_words(self) -> str:
        """Say how the node ended, as far as it is known, and where to read more."""
        output = self._folder / "log" / "output.log"
        said = last_line(output, 0)
        code = exit_code(self._node)
        ended = describe_exit(code, said) if code is not None else said or "it ended"
        return f"{ended} (more in {self._folder / 'log'})"

    def _launch(self) -> None:
        program = self.program
        epmd = shutil.which("epmd")
        if program is None or epmd is None:
            raise BrokerNotInstalled("no RabbitMQ on this machine: apt-get install rabbitmq-server, or set AMQP_URL")
        self.kill()  # an epmd may have outlived its node
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        plan = self._state.next_plan()
        write_files(plan, machine_memory())
        environment = node_environment(plan, os.environ) | self._marks
        self._epmd = self._spawn([epmd, "-port", str(plan.epmd_port), "-address", LOOPBACK], environment)
        epmd_identity = ProcessIdentity.of(self._epmd.pid)
        self._state.remember(plan, epmd=epmd_identity)
        self._node = self._spawn([str(program)], environment)
        self._state.remember(plan, epmd=epmd_identity, node=ProcessIdentity.of(self._node.pid))

    def _spawn(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with (self._folder / "log" / "output.log").open("wb") as output:
            return subprocess.Popen(
                bound_command(command, self._death_signal),
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C in the terminal is for the supervisor, which stops in order
            )
