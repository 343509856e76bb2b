"""Ties a child's life to ours: when this process is killed, the kernel kills the child.

PR_SET_PDEATHSIG has to be set by the child itself, after the fork and before its program starts. Code
between fork and exec (`preexec_fn`) can deadlock in a process with threads, so a tiny program in
front does it and then becomes the real one; the setting survives exec.

The signal comes when the *thread* that started the child ends. Whoever starts a child here waits for it
in the same thread, so that thread lives at least as long.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

#: Does the same as setpriv, at some ten milliseconds more, where util-linux is not installed.
#: The last check closes the gap in which the parent dies before the setting is made.
_TRAMPOLINE = """
import ctypes, os, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


def tied_to_this_process(program: Path, arguments: Sequence[str]) -> list[str]:
    """Give the command line that runs `program` (an absolute path) so that it dies with this process."""
    if not sys.platform.startswith("linux"):  # no such signal elsewhere: the child may then be orphaned
        return [str(program), *arguments]
    setpriv = _setpriv()
    if setpriv is not None:
        return [setpriv, "--pdeathsig", "KILL", "--", str(program), *arguments]
    return [sys.executable, "-I", "-S", "-c", _TRAMPOLINE, str(os.getpid()), str(program), *arguments]


@cache
def _setpriv() -> str | None:
    found = shutil.which("setpriv")
    # busybox carries a setpriv without this option
    return None if found is None or Path(found).resolve().name == "busybox" else found
