"""A whole fleet, driven by the command line and over HTTP."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any
from urllib.request import urlopen

from front_door import PATIENCE_S, FrontDoor
from local_fleet.control import ControlClient
from local_fleet.ports import free_ports
from local_fleet.run_folder import RunFolder
from local_fleet.survivors import find_survivors


@dataclass
class WholeFleet(FrontDoor):
    """A fleet in a folder of its own."""

    folder: RunFolder
    variables: dict[str, str]
    port: int = field(default_factory=lambda: free_ports(1)[0])
    console_port: int = field(default_factory=lambda: free_ports(1)[0])

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def console_url(self) -> str:
        return f"http://localhost:{self.console_port}"

    def mediaflow(self, *arguments: str, code: int = 0) -> str:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        own = {
            "MEDIAFLOW_FLEET_FOLDER": str(self.folder.path),
            "MEDIAFLOW_FLEET_CONSOLE": "off",
            "MEDIAFLOW_INGEST_PORT": str(self.port),
            "MEDIAFLOW_CONSOLE_PORT": str(self.console_port),
        }
        done = subprocess.run(
            [sys.executable, "-m", "local_fleet", *arguments],
            env=inherited | own | self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == code, f"{done.stdout}{done.stderr}\n{self.logs()}"
        return done.stdout + done.stderr

    def logs(self) -> str:
        """The end of every log, for the report of a failure."""
        tails = (f"== {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in self.folder.logs.glob("*.log"))
        return "\n".join(tails)

    def status(self) -> dict[str, Any]:
        status = ControlClient(self.folder.socket).ask("status")
        return status | {"processes": {each["name"]: each for each in status["processes"]}}

    def console_get(self, path: str) -> bytes:
        with urlopen(f"{self.console_url}{path}", timeout=60) as answer:
            return answer.read()

    def report(self) -> str:
        return f"{self.mediaflow('status')}\n{self.logs()}"

    def dead_letters(self) -> dict[str, int]:
        """Depth of each channel's dead-letter queue."""
        queues = json.loads(self.mediaflow("status", "--json"))["queues"]
        return {name.split(".")[1]: depth["total"] for name, depth in queues.items() if name.endswith(".dlq")}

    def end(self) -> None:
        self.mediaflow("down")
        left = find_survivors(self.folder)
        for each in left:
            each.identity.send(signal.SIGKILL)
        assert left == []
