"""Starts a child with its bounds in place: it dies with this process, and gets no more memory than it may.

Both have to be set by the child itself, after the fork and before its program starts: PR_SET_PDEATHSIG can
only be set for oneself, and a limit set from outside comes too late for a quick child. Code between
fork and exec (`preexec_fn`) can deadlock in a process with threads, so small programs in front do it and
then become the real one; both settings survive exec.

The kernel sends the signal when the *thread* that started the child ends. Whoever starts a child here waits
for it in the same thread, so that thread lives at least as long.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

#: Does the same as setpriv and prlimit, at some ten milliseconds more, where util-linux is not installed.
#: The check at the end closes the gap in which the parent dies before the setting is made.
_TRAMPOLINE = """
import ctypes, os, resource, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if int(sys.argv[2]):
    resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]), int(sys.argv[2])))
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
os.execv(sys.argv[3], sys.argv[3:])
"""


def bound_command(program: Path, arguments: Sequence[str], memory_limit_bytes: int | None) -> list[str]:
    """Give the command line that runs `program` (an absolute path) within its bounds.

    The limit is on data, not on address space: shared libraries and what allocators reserve without using it
    are no memory used.
    """
    command = [str(program), *arguments]
    if not sys.platform.startswith("linux"):  # no such signal elsewhere: the child may then be orphaned
        return command
    tools = _tools()
    if tools is None:
        limit = str(memory_limit_bytes or 0)
        return [sys.executable, "-I", "-S", "-c", _TRAMPOLINE, str(os.getpid()), limit, *command]
    setpriv, prlimit = tools
    limits = ["--core=0"] + ([f"--data={memory_limit_bytes}"] if memory_limit_bytes is not None else [])
    return [setpriv, "--pdeathsig", "KILL", "--", prlimit, *limits, "--", *command]


@cache
def _tools() -> tuple[str, str] | None:
    setpriv, prlimit = shutil.which("setpriv"), shutil.which("prlimit")
    # busybox carries a setpriv without this option
    if setpriv is None or prlimit is None or Path(setpriv).resolve().name == "busybox":
        return None
    return setpriv, prlimit
