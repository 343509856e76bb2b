"""One process of the fleet: started again whenever it ends, as a supervisor or Kubernetes would."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from local_fleet.lifeline import bound_command

#: Seconds before a process that ended is started again.
_AGAIN_AFTER_S = 0.3
_POLL_S = 0.05


def wait_until(condition: Callable[[], object], what: str, limit_s: float) -> None:
    """Wait for a condition. Raises TimeoutError that says for what."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true in {limit_s:g} s")
        time.sleep(_POLL_S)


class Member:
    """Keeps ``command`` running until `end`. A thread of its own watches the process."""

    def __init__(self, name: str, command: list[str], environment: Mapping[str, str], log: Path, sign: str) -> None:
        """`sign`: what the log says once the process does its work."""
        self.name = name
        self.log = log
        self._command, self._environment, self._sign = command, environment, sign.encode()
        self._wanted = True
        self._process: subprocess.Popen[bytes] | None = None
        self._began_at = 0
        self.starts = 0
        #: How each life ended, as subprocess says it: negative for a signal.
        self.endings: list[int] = []
        self._thread = threading.Thread(target=self._keep, name=f"keeper-{name}", daemon=True)

    def start(self) -> None:
        """Begin to keep it running."""
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Pid of the process that runs now."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def works(self) -> bool:
        """True once the process that runs now has said its sign."""
        if self.pid is None:
            return False
        with self.log.open("rb") as log:
            log.seek(self._began_at)
            return self._sign in log.read()

    def signal(self, number: signal.Signals) -> bool:
        """Send a signal; False when there is no process at the moment."""
        pid = self.pid
        if pid is None:
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            return True
        return False

    def restart(self, limit_s: float) -> None:
        """Ask it to stop, and wait until the next one does its work. Raises TimeoutError."""
        before = self.starts
        if not self.signal(signal.SIGTERM):
            before -= 1  # it is being started already
        wait_until(lambda: self.starts > before and self.works, f"{self.name} after a restart", limit_s)

    def end(self, grace_s: float = 15.0) -> None:
        """Stop it for good: SIGTERM, then SIGKILL."""
        self._wanted = False
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        self._thread.join(grace_s)
        if self._thread.is_alive():
            self.signal(signal.SIGKILL)
            self._thread.join(5.0)

    def children(self) -> list[int]:
        """Pids of its child processes, such as gunicorn's workers."""
        pid = self.pid
        try:
            return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except (OSError, ValueError):
            return []

    def _keep(self) -> None:
        while self._wanted:
            with self.log.open("ab") as output:
                self._began_at = output.tell()
                self._process = subprocess.Popen(
                    # It dies with this thread, which lives as long as it should.
                    bound_command(self._command, signal.SIGKILL),
                    env=dict(self._environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            self.starts += 1
            self.endings.append(self._process.wait())
            if self._wanted:
                time.sleep(_AGAIN_AFTER_S)
