"""One node of the cluster under test."""

import json
import os
import signal
import subprocess
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from local_fleet.broker_files import NodePlan, node_environment
from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command


class ClusterNode:
    """A node on this machine, on loopback or (``prefix``) in a namespace of its own."""

    def __init__(
        self, plan: NodePlan, program: Path, *, prefix: Sequence[str] = (), variables: Mapping[str, str] | None = None
    ) -> None:
        self.plan = plan
        self._program, self._prefix, self._variables = program, list(prefix), dict(variables or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> ProcessIdentity | None:
        """The running node."""
        process = self._process
        return ProcessIdentity.of(process.pid) if process is not None and process.poll() is None else None

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes."""
        environment = node_environment(self.plan, os.environ) | self._variables
        # One scheduler a node: three nodes share two processors with everything else.
        environment["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] += " +S 1:1 +A 4 -kernel net_ticktime 8"
        return environment

    def spawn(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Run a program where the node is; it dies with this thread, which lives as long as it should."""
        with (self.plan.folder / "log" / "output.log").open("ab") as output:
            return subprocess.Popen(
                bound_command([*self._prefix, *command], signal.SIGKILL),
                cwd=self.plan.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def start(self) -> None:
        """Start it; does not wait until it takes connections."""
        if self.process is None:
            self._process = self.spawn([str(self._program)])

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

    def sees(self) -> int:
        """Count the running nodes of its cluster, as it sees it; 0 when it does not answer."""
        with suppress(OSError, ValueError):
            nodes = self.ask("nodes?columns=name,running")
            return sum(1 for node in nodes if node.get("running")) if isinstance(nodes, list) else 0
        return 0

    def evaluate(self, erlang: str) -> None:
        """Run an expression inside the node. Raises OSError with what it said."""
        done = subprocess.run(
            [str(self._program.with_name("rabbitmqctl")), "-n", self.plan.name, "eval", erlang],
            env=node_environment(self.plan, os.environ),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise OSError(done.stderr or done.stdout)
