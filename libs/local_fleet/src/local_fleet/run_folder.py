"""Where the fleet keeps its things on disk, and the mark by which its processes are known without it."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from local_fleet.errors import FleetError
from local_fleet.identity import ProcessIdentity

#: Variables in the environment of every process of a fleet: whose it is, and its name there.
RUN_MARK = "MEDIAFLOW_FLEET_RUN"
NAME_MARK = "MEDIAFLOW_FLEET_NAME"

#: A log that has grown past this many bytes is set aside when its process starts again.
_LOG_SIZE = 10 * 1024 * 1024


@dataclass(frozen=True)
class RunFolder:
    """The folder of one fleet (`.run`), absolute."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> "RunFolder":
        """Name the folder at `path` in the one way that all processes agree on."""
        return cls(path.expanduser().resolve())

    @property
    def socket(self) -> Path:
        """The supervisor's control socket."""
        return self.path / "fleet.sock"

    @property
    def broker(self) -> Path:
        """Files of the private broker."""
        return self.path / "broker"

    @property
    def media(self) -> Path:
        """The media store, unless MEDIAFLOW_STORE_URL names another."""
        return self.path / "media"

    @property
    def scratch(self) -> Path:
        """Files of running jobs: on the store's own disk, so that a finished file is moved instead of copied."""
        return self.path / "scratch"

    @property
    def console(self) -> Path:
        """What the console keeps for itself."""
        return self.path / "console"

    @property
    def logs(self) -> Path:
        """One log file for each process."""
        return self.path / "logs"

    @property
    def processes(self) -> Path:
        """One file for each running process: its pid and start time."""
        return self.path / "processes"

    def prepare(self) -> None:
        """Make the folders. Raises FleetError when this user can't."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.logs, self.processes):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FleetError(
                f"{self.path} can't be used ({error.strerror}): set MEDIAFLOW_FLEET_FOLDER to another folder"
            ) from None
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise FleetError(f"{self.path} belongs to another user: remove it, or set MEDIAFLOW_FLEET_FOLDER")

    def log_of(self, name: str) -> Path:
        """Give the log file of a process, with an overgrown one set aside as `.1`."""
        log = self.logs / f"{name}.log"
        if log.exists() and log.stat().st_size > _LOG_SIZE:
            log.replace(log.with_suffix(".log.1"))
        return log

    def marks(self, name: str) -> dict[str, str]:
        """Environment that marks a process as this fleet's."""
        return {RUN_MARK: str(self.path), NAME_MARK: name}

    def remember(self, name: str, identity: ProcessIdentity) -> None:
        """Write the process file of `name`."""
        self.processes.mkdir(parents=True, exist_ok=True)
        (self.processes / f"{name}.json").write_text(json.dumps(asdict(identity)))

    def forget(self, name: str) -> None:
        """Remove the process file of `name`."""
        (self.processes / f"{name}.json").unlink(missing_ok=True)

    def remembered(self) -> dict[str, ProcessIdentity]:
        """Identify the processes of the process files that still run, by name."""
        return {name: identity for name, identity in self._read_files() if identity.is_alive()}

    def _read_files(self) -> Iterator[tuple[str, ProcessIdentity]]:
        for file in sorted(self.processes.glob("*.json")):
            try:
                yield file.stem, ProcessIdentity(**json.loads(file.read_text()))
            except (OSError, ValueError, TypeError):  # half-written or foreign: the marks will tell
                continue
