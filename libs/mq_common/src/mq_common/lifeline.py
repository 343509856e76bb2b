"""A worker process ends with gunicorn's master, however that ended."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(master: int) -> None:
    """Let the kernel kill this process when its parent, ``master``, ends. Call it after the fork.

    gunicorn's workers look for their master once a second and then finish what they have, and until the last of them
    is gone they hold the port: the next ingest could not start. Linux only; elsewhere gunicorn's own look has to do.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != master:  # it ended before the setting was made: nobody would tell us
        os.kill(os.getpid(), signal.SIGKILL)
