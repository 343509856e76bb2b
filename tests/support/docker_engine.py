"""A Docker engine, and what a test starts on it: all of it carries one label, by which it is found and removed."""

import json
import os
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

_LABEL = "mediaflow.test"


class EngineError(Exception):
    """Docker's own words for what did not work."""


@dataclass(frozen=True)
class Exit:
    """How a container ended."""

    code: int
    output: str


@dataclass
class Engine:
    """The engine that the command ``docker`` reaches (DOCKER names another program)."""

    name: str = field(default_factory=lambda: f"mediaflow-test-{uuid4().hex[:8]}")

    def __call__(self, *arguments: str, timeout_s: float = 120) -> str:
        """Run a command and give what it prints. Raises EngineError."""
        try:
            done = subprocess.run(
                [os.environ.get("DOCKER", "docker"), *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except FileNotFoundError as error:
            raise EngineError(f"{error.filename} is not installed") from None
        if done.returncode:
            raise EngineError(f"docker {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def network(self) -> str:
        """Make a network for the containers, and give its name."""
        self("network", "create", "--label", f"{_LABEL}={self.name}", self.name)
        return self.name

    def volume(self, suffix: str) -> str:
        """Make a volume, and give its name."""
        return self("volume", "create", "--label", f"{_LABEL}={self.name}", f"{self.name}-{suffix}")

    def start(self, image: str, *command: str, options: Iterable[str] = ()) -> str:
        """Start a container in the background; gives its id."""
        return self("run", "--detach", "--label", f"{_LABEL}={self.name}", *options, image, *command)

    def run(self, image: str, *command: str, options: Iterable[str] = (), timeout_s: float = 120) -> Exit:
        """Run a container to its end."""
        container = self.start(image, *command, options=options)
        code = int(self("wait", container, timeout_s=timeout_s))
        end = Exit(code, self.logs(container))
        self("rm", "--volumes", container)
        return end

    def python(self, image: str, code: str) -> str:
        """Run Python code in an image and give what it prints; it may write nowhere."""
        end = self.run(image, "-c", code, options=["--read-only", "--network", "none", "--entrypoint", "python"])
        assert end.code == 0, end.output
        return end.output

    def inspect(self, what: str, kind: str = "container") -> dict[str, Any]:
        """Give what the engine knows of a container or an image."""
        return json.loads(self("inspect", "--type", kind, what))[0]

    def logs(self, container: str) -> str:
        """Give what a container wrote, both streams."""
        done = subprocess.run(
            [os.environ.get("DOCKER", "docker"), "logs", "--tail", "200", container],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout

    def remove_all(self) -> None:
        """Remove what was started here, and nothing else."""
        mine = ["--filter", f"label={_LABEL}={self.name}"]
        for container in self("ps", "--all", "--quiet", *mine).split():
            with suppress(EngineError):
                self("rm", "--force", "--volumes", container)
        for kind in ("network", "volume"):
            for each in self(kind, "ls", "--quiet", *mine).split():
                self(kind, "rm", each)
