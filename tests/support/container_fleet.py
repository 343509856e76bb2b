"""The fleet in containers, each locked in as on a cluster: no root, no capability, nothing to write but volumes."""

import os
import re
from pathlib import Path

from docker_engine import Engine, EngineError
from front_door import FrontDoor

ROOT = Path(__file__).parents[2]
CHANNELS = ("thumbnail", "transcode", "subtitle")
SERVICES = ("ingest", "console", "replayer", *CHANNELS)

#: What Kubernetes' "restricted" asks for, as Docker says it.
LOCKED_IN = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--volume", "/tmp")

_START_LIMIT_S = 180


def image_of(service: str) -> str:
    """Name a service's image as `make images` does, with the same REGISTRY and TAG."""
    registry = os.environ.get("REGISTRY", "").rstrip("/")
    version = re.search(r'^appVersion: "(.+)"$', (ROOT / "charts/mediaflow/Chart.yaml").read_text(), re.MULTILINE)
    assert version
    return f"{registry}/".lstrip("/") + f"mediaflow-{service}:{os.environ.get('TAG') or version[1]}"


def broker_image() -> str:
    """The broker's image: that of compose.yaml, or RABBITMQ_IMAGE."""
    usual = re.search(r"^ +image: (\S+/rabbitmq:\S+)$", (ROOT / "compose.yaml").read_text(), re.MULTILINE)
    assert usual
    return os.environ.get("RABBITMQ_IMAGE") or usual[1]


class ContainerFleet(FrontDoor):
    """Broker, front door, console and a worker for each channel, on a network and with a store of their own."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.network = engine.network()
        self.store = engine.volume("store")
        self.containers: dict[str, str] = {}
        self._url = ""

    @property
    def url(self) -> str:
        return self._url

    def start(self) -> None:
        """Start all, the broker first; returns when each is ready."""
        self.containers["rabbitmq"] = self.engine.start(
            broker_image(),
            options=[
                *self._at("rabbitmq"),
                # A command of root's beside a starting node would keep the node's cookie for itself.
                *("--hostname", "rabbitmq", "--user", "rabbitmq"),
                *("--env", "RABBITMQ_DEFAULT_USER=fleet", "--env", "RABBITMQ_DEFAULT_PASS=secret"),
            ],
        )
        self.until(self._broker_listens, _START_LIMIT_S)
        variables = {"MEDIAFLOW_INGEST_HOST": "0.0.0.0", "MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true"}
        ingest = self.start_service("ingest", variables, ["--publish", "127.0.0.1::8080"])
        self._url = f"http://{self.engine('port', ingest, '8080/tcp').splitlines()[0]}"
        self.start_service(
            "console", {"MEDIAFLOW_CONSOLE_HOST": "0.0.0.0", "MEDIAFLOW_CONSOLE_PASSWORD": "for this test"}
        )
        for channel in CHANNELS:
            self.start_service(channel)
        self.until(lambda: all(self.is_ready(name) for name in ("ingest", "console", *CHANNELS)), _START_LIMIT_S)

    def start_service(
        self, service: str, variables: dict[str, str] | None = None, options: list[str] | None = None
    ) -> str:
        """Start one more container of a service; gives its id. The first one has the service's name."""
        name = service if service not in self.containers else f"{service}-{len(self.containers)}"
        settings = [f"--env={key}={value}" for key, value in (self.settings() | (variables or {})).items()]
        mounted = ["--volume", f"{self.store}:/var/lib/mediaflow"]
        started = self.engine.start(
            image_of(service), options=[*self._at(name), *LOCKED_IN, *mounted, *settings, *(options or [])]
        )
        self.containers[name] = started
        return started

    def settings(self) -> dict[str, str]:
        """What every process of the fleet is told."""
        return {
            "AMQP_URL": "amqp://fleet:secret@rabbitmq:5672/",
            "MEDIAFLOW_MANAGEMENT_URL": "http://fleet:secret@rabbitmq:15672",
            "MEDIAFLOW_STORE_URL": "file:///var/lib/mediaflow/store",
            "MEDIAFLOW_LOG_FORMAT": "json",
        }

    def is_ready(self, name: str) -> bool:
        """Ask a container's own probe, from inside."""
        port = {"ingest": 8080, "console": 8090}.get(name.split("-", maxsplit=1)[0], 8081)
        code = f"from urllib.request import urlopen; urlopen('http://127.0.0.1:{port}/readyz', timeout=10)"
        return self._works(name, "python", "-c", code)

    def is_running(self, name: str) -> bool:
        """Whether the container runs."""
        return bool(self.engine.inspect(self.containers[name])["State"]["Running"])

    def report(self) -> str:
        tails = (f"== {name}\n{self.engine.logs(each)[-2000:]}" for name, each in self.containers.items())
        return "\n".join(tails)

    def _at(self, name: str) -> list[str]:
        return ["--network", self.network, "--network-alias", name]

    def _broker_listens(self) -> bool:
        return self._works("rabbitmq", "rabbitmq-diagnostics", "--quiet", "check_port_connectivity")

    def _works(self, name: str, *command: str) -> bool:
        assert self.is_running(name), f"{name} ended\n{self.report()}"
        try:
            self.engine("exec", self.containers[name], *command)
        except EngineError:
            return False
        return True
