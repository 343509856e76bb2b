"""Runs a command so that it dies with the process that started it.

Run as a script between fork and the real program: `python lifeline.py <parent pid> <signal> <command…>`.
Setting PR_SET_PDEATHSIG here, in a fresh single-threaded interpreter, avoids running Python between fork and
exec in a parent that may hold locks. The kernel keeps the setting across exec. It fires when the *thread* that
forked ends, so start children from a thread that lives as long as they should.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1


def bound_command(command: Sequence[str], death_signal: signal.Signals = signal.SIGTERM) -> list[str]:
    """Give the argument list that runs `command` bound to the life of this process (and this thread)."""
    # -I and -S skip site and user packages: the detour costs about 10 ms.
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(death_signal)), *command]


def main(arguments: Sequence[str]) -> int:
    """Bind this process to its parent and become the command. Returns only when that fails (127)."""
    parent, death_signal, *command = arguments
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != int(parent):  # the parent died before the setting was made: nobody would tell us
        return 127
    try:
        os.execvp(command[0], command)  # noqa: S606 - a program and its arguments, no shell is meant
    except OSError as error:
        sys.stderr.write(f"cannot run {command[0]}: {error.strerror}\n")
    return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
