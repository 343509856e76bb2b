"""Which process is meant: a pid together with its start time, so that a recycled pid is never taken for it."""

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

#: How often the end of a process that is not our child is looked for, in seconds.
_POLL_S = 0.02


@dataclass(frozen=True)
class ProcessIdentity:
    """A process on this machine: its pid and its start time in clock ticks since boot."""

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> "ProcessIdentity | None":
        """Identify the live process `pid`; None when there is none (or only a zombie)."""
        stat = _stat(pid)
        if stat is None or stat[0] in "ZX":
            return None
        return cls(pid, int(stat[19]))

    def is_alive(self) -> bool:
        """Whether exactly this process still runs."""
        return ProcessIdentity.of(self.pid) == self

    def send(self, signal_number: signal.Signals) -> bool:
        """Send a signal; False when the process has ended or belongs to somebody else."""
        if not self.is_alive():
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, signal_number)
            return True
        return False

    def wait(self, timeout_s: float) -> bool:
        """Wait until the process has ended; False when it still runs after `timeout_s` seconds."""
        deadline = time.monotonic() + timeout_s
        while self.is_alive():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        return True

    def end(self, grace_s: float) -> bool:
        """Ask the process to stop, kill it after `grace_s` seconds (0: at once). True when there was one to end."""
        if not self.send(signal.SIGTERM if grace_s > 0 else signal.SIGKILL):
            return False
        if not self.wait(grace_s):
            self.send(signal.SIGKILL)
            self.wait(5.0)
        return True


def _stat(pid: int) -> list[str] | None:
    """Read the fields of /proc/<pid>/stat from the third (state) on; the second may hold blanks and brackets."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
