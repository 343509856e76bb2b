"""Where a benchmark works: a folder, a private broker, child processes. All of it ends with the benchmark."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any, Self
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPBasicAuthHandler, HTTPPasswordMgrWithDefaultRealm, Request, build_opener

from local_fleet.broker import BrokerAddress, PrivateBroker
from local_fleet.lifeline import bound_command

ROOT = Path(__file__).parents[3]
_BENCH = Path(__file__).parents[1]
_PROGRAM_LIMIT_S = 600.0
_STOP_LIMIT_S = 20.0


class ProgramFailed(Exception):
    """A program of the benchmark ended with an error, or said nothing."""


class Workplace:
    """A temporary folder and what runs in it."""

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick
        self._stack = ExitStack()
        self._broker: BrokerAddress | None = None
        self._vhosts = 0

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="mediaflow-bench-"))
        self._stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def pick(self, usual: Any, quick: Any) -> Any:
        """Give the usual value, or the one of a quick run."""
        return quick if self.quick else usual

    @property
    def broker(self) -> BrokerAddress:
        """The private node, started when it is first asked for."""
        if self._broker is None:
            node = PrivateBroker(self.folder / "broker", death_signal=SIGKILL)
            self._stack.callback(node.kill)
            self._broker = node.start()
        return self._broker

    @contextmanager
    def vhost(self) -> Iterator[str]:
        """Give the AMQP address of a fresh virtual host; it goes away with all its queues."""
        self._vhosts += 1
        name = f"bench-{self._vhosts}"
        parts = urlsplit(self.broker.amqp_url)
        self._manage("PUT", f"vhosts/{name}")
        everything = {"configure": ".*", "write": ".*", "read": ".*"}
        self._manage("PUT", f"permissions/{name}/{parts.username}", everything)
        try:
            yield parts._replace(path=f"/{name}").geturl()
        finally:
            self._manage("DELETE", f"vhosts/{name}")

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Give a child's environment: ours without any setting of a fleet, and what is given."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        return ours | {"PYTHONPATH": str(_BENCH)} | dict(given)

    def run(self, program: str, *arguments: object, **environment: str) -> dict[str, Any]:
        """Run a program of `mediaflow_bench.programs` to its end and give the JSON of its last line."""
        command = [sys.executable, "-m", f"mediaflow_bench.programs.{program}", *map(str, arguments)]
        log = self.folder / f"{program}.log"
        with log.open("wb") as errors:
            done = subprocess.run(
                bound_command(command, SIGKILL),
                env=self.environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                timeout=_PROGRAM_LIMIT_S,
                check=False,
            )
        lines = done.stdout.split(b"\n")
        answer = next((line for line in reversed(lines) if line.startswith(b"{")), None)
        if done.returncode != 0 or answer is None:
            raise ProgramFailed(f"{program}: exit code {done.returncode}\n{log.read_text(errors='replace')[-2000:]}")
        return json.loads(answer)

    @contextmanager
    def running(self, command: list[str], log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command beside us until the block ends; its standard input and output are pipes."""
        with log.open("wb") as errors:
            process = subprocess.Popen(
                bound_command(command, SIGTERM),
                env=self.environment(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(_STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()

    def _manage(self, method: str, path: str, body: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(self.broker.management_url)
        base = f"{parts.scheme}://{parts.hostname}:{parts.port}"
        logins = HTTPPasswordMgrWithDefaultRealm()
        logins.add_password(None, base, unquote(parts.username or ""), unquote(parts.password or ""))
        request = Request(
            f"{base}/api/{path}",
            json.dumps(body or {}).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with build_opener(HTTPBasicAuthHandler(logins)).open(request, timeout=60):
            pass
