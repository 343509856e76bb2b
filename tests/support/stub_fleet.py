"""A fleet whose services are stand-ins: the command line drives it as a user does. Fixtures for a conftest."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from local_fleet.control import ControlClient
from local_fleet.identity import ProcessIdentity
from local_fleet.ports import free_ports
from local_fleet.run_folder import RunFolder
from local_fleet.survivors import Survivor, find_survivors

_HERE = Path(__file__).parent
STUB = f"python {_HERE / 'stub_service.py'}"
STUB_REPLAYER = f"python {_HERE / 'stub_replayer.py'}"


@dataclass
class StubFleet:
    """One fleet in a folder of its own. Lists of stub options by process name in `options`."""

    folder: RunFolder
    port: int
    amqp_url: str | None
    options: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        names = ("ingest", "console", "thumbnail", "transcode", "subtitle", "preview")
        commands = "; ".join(f"{name}={STUB} {self.options.get(name, '')}" for name in names)
        commands += f"; replayer={STUB_REPLAYER} {self.options.get('replayer', '')}"
        own = {
            "MEDIAFLOW_FLEET_FOLDER": str(self.folder.path),
            "MEDIAFLOW_FLEET_COMMANDS": commands,
            "MEDIAFLOW_FLEET_CONSOLE": "off",
            "MEDIAFLOW_INGEST_PORT": str(self.port),
        }
        return inherited | own | ({"AMQP_URL": self.amqp_url} if self.amqp_url else {}) | self.variables

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "local_fleet", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def mediaflow(self, *arguments: str, code: int = 0) -> str:
        """Run the command line; gives all it said."""
        command = self.begin(*arguments)
        output, errors = command.communicate(timeout=120)
        assert command.returncode == code, output + errors
        assert "Traceback" not in errors
        return output + errors

    def status(self) -> dict[str, dict[str, Any]]:
        """The processes by name."""
        return {each["name"]: each for each in ControlClient(self.folder.socket).ask("status")["processes"]}

    def survivors(self) -> list[Survivor]:
        return find_survivors(self.folder)

    def identity(self, name: str) -> ProcessIdentity:
        return next(each.identity for each in self.survivors() if each.name == name)

    def put_an_end_to_it(self) -> None:
        while survivors := self.survivors():
            for each in survivors:
                each.identity.send(signal.SIGKILL)
                each.identity.wait(5)


@pytest.fixture
def stub_fleet(tmp_path: Path, fleet_guard: None) -> Iterator[StubFleet]:
    """A fleet on a broker of the user's: a mere open port, since the stand-ins need none."""
    with socket.create_server(("127.0.0.1", 0)) as broker:
        amqp_url = f"amqp://guest:guest@127.0.0.1:{broker.getsockname()[1]}/%2F"
        fleet = StubFleet(RunFolder.at(tmp_path / ".run"), free_ports(1)[0], amqp_url)
        yield fleet
        fleet.put_an_end_to_it()


@pytest.fixture
def until() -> Callable[..., Any]:
    """Wait for a condition, at most 30 s, and give what it gave: a second look may see the next state."""

    def wait(condition: Callable[[], Any], what: str = "the condition") -> Any:
        deadline = time.monotonic() + 30
        while not (found := condition()):
            assert time.monotonic() < deadline, f"{what} did not come"
            time.sleep(0.05)
        return found

    return wait
