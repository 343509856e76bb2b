"""The chart's RabbitMQ nodes as containers: the rendered files, scripts, names and limits, without Kubernetes."""

import base64
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pika
import pika.exceptions

from chart_objects import pod_templates
from docker_engine import Engine, EngineError
from rendered_chart import Json, Rendering, the

_RUN = ["--user", "999:999", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


class ChartBroker:
    """Three nodes of a release, each with a volume; a node that starts runs the init container first."""

    def __init__(self, engine: Engine, image: str, folder: Path) -> None:
        self._engine, self._image, self._folder = engine, image, folder
        self._network = engine.network()
        objects = Rendering().objects()
        (self._pod,) = (each for each in pod_templates(objects) if each.component == "rabbitmq")
        self._stateful = self._pod.owner["metadata"]["name"]
        secret = the(objects, "Secret", "-rabbitmq")["data"]
        self._login = {key: base64.b64decode(value).decode() for key, value in secret.items()}
        for name, text in the(objects, "ConfigMap", "-rabbitmq")["data"].items():
            self._file(name).write_text(text)
        self._file("cookie").write_text(self._login["erlang-cookie"])
        for file in folder.iterdir():
            file.chmod(0o644)
        self._containers: dict[int, str] = {}

    def node(self, number: int) -> str:
        """The Erlang name of a node."""
        value = next(each["value"] for each in self._main["env"] if each["name"] == "RABBITMQ_NODENAME")
        return str(value.replace("$(POD_NAME)", self._name(number)))

    def start(self, number: int) -> str:
        """Start a node with the volume that it has; gives what its init container says."""
        said = self._prepare(number)
        name, host = self._name(number), self.node(number).partition("@")[2]
        options = [*_RUN, "--network", self._network, "--network-alias", host, "--hostname", name]
        options += ["--memory", "1g", "--tmpfs", "/tmp", "--publish", "127.0.0.1::5672", *self._mounts(number)]
        self._containers[number] = self._engine.start(
            self._image, options=[*options, *self._environment(self._main, name)]
        )
        return said

    def stop(self, number: int) -> None:
        """Stop a node as the kubelet does: preStop, then SIGTERM. It keeps its volume."""
        self.run(number, *self._main["lifecycle"]["preStop"]["exec"]["command"])
        self._engine("stop", "--time", "60", self._containers[number])
        self._engine("rm", self._containers.pop(number))

    def lose(self, number: int) -> None:
        """Take a node and its volume away."""
        self._engine("rm", "--force", self._containers.pop(number))
        self._engine("volume", "rm", f"{self._engine.name}-data-{number}")

    def run(self, number: int, *command: str) -> str:
        """Run a command in a node's container. Raises EngineError."""
        return self._engine("exec", self._containers[number], *command, timeout_s=180)

    def evaluate(self, number: int, code: str) -> str:
        """Let a node evaluate Erlang."""
        return "".join(self.run(number, "rabbitmqctl", "--quiet", "eval", code).split())

    def wait(self, what: str, condition: Callable[[], bool], within_s: float = 240) -> None:
        """Wait until a condition holds, whatever a node that is not there yet says meanwhile."""
        end = monotonic() + within_s
        while monotonic() < end:
            with suppress(EngineError):
                if condition():
                    return
            sleep(1)
        raise AssertionError(f"not within {within_s:.0f} s: {what}")

    def connect(self) -> pika.BlockingConnection:
        """Connect to any node that takes connections."""
        login = pika.PlainCredentials(self._login["username"], self._login["password"])
        end = monotonic() + 120
        while monotonic() < end:
            for container in list(self._containers.values()):
                with suppress(EngineError, pika.exceptions.AMQPError, OSError):
                    host, _, port = self._engine("port", container, "5672").splitlines()[0].rpartition(":")
                    return pika.BlockingConnection(
                        pika.ConnectionParameters(
                            host, int(port), credentials=login, socket_timeout=5, stack_timeout=10
                        )
                    )
            sleep(0.2)
        raise AssertionError("no node takes connections")

    @property
    def _main(self) -> Json:
        return dict(self._pod.spec["containers"][0])

    def _prepare(self, number: int) -> str:
        init = self._pod.spec["initContainers"][0]
        options = [*_RUN, "--network", self._network, *self._mounts(number), "--entrypoint", init["command"][0]]
        options += self._environment(init, self._name(number))
        end = self._engine.run(self._image, *init["command"][1:], options=options)
        assert end.code == 0, end.output
        return end.output.strip()

    def _mounts(self, number: int) -> list[str]:
        decided = self._folder / f"conf-d-{number}"
        decided.mkdir(exist_ok=True)
        decided.chmod(0o777)  # the nodes' user is none of this machine's
        files = {"rabbitmq.conf": "/etc/rabbitmq", "enabled_plugins": "/etc/rabbitmq", "cookie": "/run/erlang"}
        files |= {"prepare.sh": "/etc/mediaflow", "stop.sh": "/etc/mediaflow"}
        mounts = [f"{self._engine.volume(f'data-{number}')}:/var/lib/rabbitmq", f"{decided}:/etc/rabbitmq/conf.d"]
        mounts += [f"{self._file(name)}:{where}/{name}:ro" for name, where in files.items()]
        return [word for mount in mounts for word in ("--volume", mount)]

    def _environment(self, container: Json, pod: str) -> list[str]:
        found = {}
        for each in container["env"]:
            key = each.get("valueFrom", {}).get("secretKeyRef", {}).get("key")
            found[each["name"]] = self._login[key] if key else each.get("value", pod).replace("$(POD_NAME)", pod)
        return [word for name, value in found.items() for word in ("--env", f"{name}={value}")]

    def _name(self, number: int) -> str:
        return f"{self._stateful}-{number}"

    def _file(self, name: str) -> Path:
        return self._folder / name
