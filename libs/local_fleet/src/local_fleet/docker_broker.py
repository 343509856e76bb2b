"""A RabbitMQ container for machines that have Docker but no rabbitmq-server."""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

from local_fleet.broker_files import BrokerAddress, NodePlan
from local_fleet.broker_probe import takes_connections
from local_fleet.broker_state import BrokerState
from local_fleet.errors import BrokerStartFailed
from local_fleet.exits import describe_exit, exit_code, last_line
from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command
from local_fleet.ports import LOOPBACK

#: A Docker command that only asks or removes, in seconds.
_COMMAND_LIMIT_S = 30.0

_STOP_LIMIT_S = 20.0

#: Queue depths drive the scaling: they should be a second old at most.
_STATISTICS = (
    "-rabbit collect_statistics_interval 1000 -rabbit quorum_tick_interval 1000 -rabbitmq_management_agent "
    "sample_retention_policies [{global,[{60,1},{3600,60}]},{basic,[{60,1},{3600,60}]},{detailed,[{10,1}]}]"
)


def docker_answers() -> bool:
    """Whether there is a docker command and its daemon answers."""
    if shutil.which("docker") is None:
        return False
    code, version = _docker("version", "--format", "{{.Server.Version}}")
    return code == 0 and bool(version)


class DockerBroker:
    """One container, run in the foreground of a child process so that its end and its output are seen.

    The messages are in a Docker volume of the same name: they outlive the container.
    """

    def __init__(self, folder: Path, image: str, *, marks: dict[str, str] | None = None) -> None:
        self._folder = folder.absolute()
        self._image = image
        self._marks = marks or {}
        self._state = BrokerState(self._folder)
        self._client: subprocess.Popen[bytes] | None = None

    @property
    def container(self) -> str:
        """Name of the container and its volume: one for each folder."""
        return f"mediaflow-{hashlib.sha256(str(self._folder).encode()).hexdigest()[:12]}"

    @property
    def pid(self) -> int | None:
        """Pid of the docker command that runs the container."""
        client = self._state.identity("node")
        return client.pid if client else None

    @property
    def is_running(self) -> bool:
        """Whether the container's command runs."""
        return self.pid is not None

    @property
    def log_file(self) -> Path:
        """The container's output."""
        return self._folder / "log" / "broker.log"

    def start(self, *, wait: bool = False) -> BrokerAddress:
        """Start the container; the image may have to be pulled first, so there is no waiting here."""
        if wait:
            raise BrokerStartFailed("a container's first start takes as long as its download: ask is_ready()")
        self.remove()
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        plan = self._state.next_plan()
        with self.log_file.open("wb") as output:
            self._client = subprocess.Popen(
                bound_command(self._command(plan), signal.SIGTERM),
                env=os.environ | self._marks | {"RABBITMQ_DEFAULT_PASS": plan.password},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._state.remember(plan, node=ProcessIdentity.of(self._client.pid))
        return plan.address

    def is_ready(self) -> bool:
        """Whether the broker in the container takes connections and its management API answers."""
        plan = self._state.plan()
        return plan is not None and self.is_running and takes_connections(plan, port=5672)

    def stop(self, grace_s: float = _STOP_LIMIT_S) -> bool:
        """Stop the container and remove it; True when one was running."""
        client = self._state.identity("node")
        if client:
            client.end(grace_s)
        if self._client:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._client.wait(1.0)
        return self.remove() or client is not None

    def remove(self) -> bool:
        """Remove the container by force, whoever started it. True when there was one."""
        if shutil.which("docker") is None:
            return False
        # docker prints the name of what it removed; what it says when there is nothing differs by version.
        return _docker("rm", "--force", self.container) == (0, self.container)

    def last_words(self) -> str:
        """Say how the container ended."""
        said = last_line(self.log_file, 0)
        code = exit_code(self._client)
        return describe_exit(code, said) if code is not None else said or "it ended"

    def _command(self, plan: NodePlan) -> list[str]:
        return [
            *("docker", "run", "--rm", "--name", self.container),
            *("--hostname", "mediaflow", "--volume", f"{self.container}:/var/lib/rabbitmq"),
            *("--publish", f"{LOOPBACK}:{plan.amqp_port}:5672"),
            *("--publish", f"{LOOPBACK}:{plan.management_port}:15672"),
            *("--env", f"RABBITMQ_DEFAULT_USER={plan.user}"),
            *("--env", "RABBITMQ_DEFAULT_PASS"),  # the value is in the environment: command lines are public
            *("--env", f"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS={_STATISTICS}"),
            self._image,
        ]


def _docker(*arguments: str) -> tuple[int, str]:
    """Run a short Docker command; gives exit code and output."""
    try:
        done = subprocess.run(
            ["docker", *arguments], capture_output=True, text=True, timeout=_COMMAND_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 1, ""
    return done.returncode, done.stdout.strip()
